import { isFinal, type OrderStatus } from './order-state.ts';

/**
 * Where rows, workflows and ledger can disagree. Each kind says whether the reconciler mends it; what it does not mend
 * never comes about by crashes, so people must look.
 */
export const DRIFT_KINDS = {
  /** An order that has not ended, and no workflow runs it. */
  order_without_workflow: { mended: true },
  /** An order that has ended still owes a webhook, and no workflow sends it. */
  webhook_without_workflow: { mended: true },
  /** The workflow believes in an older version of the order than its row. */
  workflow_behind: { mended: true },
  /** The workflow believes in a newer version than the row: the database has forgotten something. */
  workflow_ahead: { mended: false },
  /** A workflow runs for an order that is not there, or that has ended and owes nothing. */
  workflow_without_order: { mended: false },
  /** What the proof of the ledger found. */
  ledger: { mended: false },
} as const;
export type DriftKind = keyof typeof DRIFT_KINDS;

/** What a running workflow shows that it believes; undefined where it was started by a version that did not show it. */
export interface WorkflowBelief {
  status: OrderStatus | undefined;
  version: number | undefined;
}

/** What an order's row says, as far as its workflow is concerned. */
export interface OrderFacts {
  status: OrderStatus;
  version: number;
  /** Webhooks that are owed and not yet delivered. */
  webhooks: readonly number[];
}

/** How an order and its running workflow, either of which may not be there, disagree; null where they do not. */
export function workflowDrift(
  order: OrderFacts | undefined,
  workflow: WorkflowBelief | undefined,
): Exclude<DriftKind, 'ledger'> | null {
  if (!order) return workflow ? 'workflow_without_order' : null;
  const { status, version, webhooks } = order;
  if (!workflow) {
    if (!isFinal(status)) return 'order_without_workflow';
    return webhooks.length > 0 ? 'webhook_without_workflow' : null;
  }
  const believed = workflow.version ?? (workflow.status === status ? version : 0);
  if (believed < version) return 'workflow_behind';
  if (believed > version) return 'workflow_ahead';
  return isFinal(status) && webhooks.length === 0 ? 'workflow_without_order' : null;
}
