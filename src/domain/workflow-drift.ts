import { isFinal, type OrderStatus } from './order-state.ts';

/** How rows, workflows and ledger can disagree. A crash alone causes only drift that the reconciler mends. */
export const DRIFT_KINDS = {
  /** An order that has not ended has no workflow. */
  order_without_workflow: { mended: true },
  /** An order that has ended still owes a webhook and has no workflow to send it. */
  webhook_without_workflow: { mended: true },
  /** The workflow's observed version is older than the row's. */
  workflow_behind: { mended: true },
  /**
   * The workflow's observed version is newer than the row's, or it shows another status at the same version: the database
   * has lost something.
   */
  workflow_ahead: { mended: false },
  /** A workflow runs for an order that does not exist, or that has ended and owes nothing. */
  workflow_without_order: { mended: false },
  /** A finding of the ledger's checks. */
  ledger: { mended: false },
} as const;
export type DriftKind = keyof typeof DRIFT_KINDS;

/** The state that a running workflow shows; undefined where it shows none. */
export interface ObservedWorkflow {
  status: OrderStatus | undefined;
  version: number | undefined;
}

/** The part of an order's row that its workflow must know. */
export interface OrderFacts {
  status: OrderStatus;
  version: number;
  /** Webhooks that are owed and not yet delivered. */
  webhooks: readonly number[];
}

/** Returns how an order and its running workflow disagree, or null if they agree. Undefined: there is no such order or workflow. */
export function workflowDrift(
  order: OrderFacts | undefined,
  workflow: ObservedWorkflow | undefined,
): Exclude<DriftKind, 'ledger'> | null {
  if (!order) return workflow ? 'workflow_without_order' : null;
  const { status, version, webhooks } = order;
  if (!workflow) {
    if (!isFinal(status)) return 'order_without_workflow';
    return webhooks.length > 0 ? 'webhook_without_workflow' : null;
  }
  const observed = workflow.version ?? (workflow.status === status ? version : 0);
  if (observed < version) return 'workflow_behind';
  if (observed > version || (workflow.status ?? status) !== status) return 'workflow_ahead';
  return isFinal(status) && webhooks.length === 0 ? 'workflow_without_order' : null;
}
