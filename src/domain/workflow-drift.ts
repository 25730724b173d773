import { isFinal, type OrderStatus } from './order-state.ts';

/**
 * How rows, workflows, ledger and chains can disagree. A crash alone causes only drift that the reconciler repairs
 * (`mended`).
 */
export const DRIFT_KINDS = {
  /** An order that has not ended has no workflow. */
  order_without_workflow: { mended: true },
  /** An order that has ended still owes a webhook and has no workflow to send it. */
  webhook_without_workflow: { mended: true },
  /** The workflow's observed version is older than the row's. */
  workflow_behind: { mended: true },
  /**
   * The workflow's observed version is newer than the row's, or it shows another status at the same version: the database
   * has lost commits. The reconciler freezes the order, which then is `commits_lost`.
   */
  workflow_ahead: { mended: false },
  /** The database has lost commits of the order, and no admin has handled it yet. */
  commits_lost: { mended: false },
  /** A workflow runs for an order that the database does not have. */
  order_missing: { mended: false },
  /** A workflow runs for an order that has ended and owes nothing. */
  workflow_without_order: { mended: false },
  /** A finding of the ledger's checks. */
  ledger: { mended: false },
  /** The platform's addresses hold less than LPs are owed. */
  reserve_shortfall: { mended: false },
} as const;
export type DriftKind = keyof typeof DRIFT_KINDS;

/** The kinds that a row and its workflow show. */
export const WORKFLOW_DRIFT = [
  ...(['order_without_workflow', 'webhook_without_workflow', 'workflow_behind'] as const),
  ...(['workflow_ahead', 'order_missing', 'workflow_without_order'] as const),
] satisfies DriftKind[];

/** The state that a running workflow shows; undefined: it shows none. */
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

/**
 * Whether the workflow has seen a state that the row does not have. A workflow learns states only from committed rows,
 * and versions only grow. So if this is true, the database has lost commits. Compare with a row that was read after the
 * workflow's state.
 */
export const isAhead = (seen: ObservedWorkflow, row: Pick<OrderFacts, 'version' | 'status'>): boolean =>
  seen.version !== undefined &&
  (seen.version > row.version ||
    (seen.version === row.version && seen.status !== undefined && seen.status !== row.status));

/**
 * Returns how an order and its running workflow disagree, or null if they agree. Undefined: there is no such order or
 * workflow.
 */
export function workflowDrift(
  order: OrderFacts | undefined,
  workflow: ObservedWorkflow | undefined,
): (typeof WORKFLOW_DRIFT)[number] | null {
  if (!order) return workflow ? 'order_missing' : null;
  const { status, version, webhooks } = order;
  if (!workflow) {
    if (!isFinal(status)) return 'order_without_workflow';
    return webhooks.length > 0 ? 'webhook_without_workflow' : null;
  }
  const observed = workflow.version ?? (workflow.status === status ? version : 0);
  if (observed < version) return 'workflow_behind';
  if (isAhead({ status: workflow.status, version: observed }, order)) return 'workflow_ahead';
  return isFinal(status) && webhooks.length === 0 ? 'workflow_without_order' : null;
}
