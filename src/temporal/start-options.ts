import type { WorkflowStartOptions } from '@temporalio/client';
import {
  type BulkInput,
  bulkWorkflowId,
  type OrderInput,
  orderWorkflowId,
  SEARCH_ATTRIBUTES,
} from '../../workflows/messages.ts';
import { waitingFor } from '../domain/order-state.ts';

export const TASK_QUEUE = 'corridor-orders';

/** The label of a new order in the Temporal UI: public amounts only. */
export interface OrderLabel {
  currency: string;
  amount_fiat: string;
}

/** What an order's workflow starts with. */
export interface OrderStart {
  input: OrderInput;
  label: OrderLabel;
}

/** What happens if the order has or had a workflow, and when the new one begins to run. */
export type HowToStart = Pick<
  WorkflowStartOptions,
  'workflowIdConflictPolicy' | 'workflowIdReusePolicy' | 'startDelay'
>;

/** The order's first workflow, or none. */
export const FIRST_START: HowToStart = {
  workflowIdConflictPolicy: 'USE_EXISTING',
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
};

/**
 * The order's first workflow sleeps until its deadline: it costs no workflow task before. Only a signal with a start wakes
 * it; a plain signal waits for it.
 */
export function sleeping({ state: { timeoutAt } }: Pick<OrderInput, 'state'>): {
  how: HowToStart;
  sleepsUntil?: string;
} {
  if (timeoutAt === null) return { how: FIRST_START };
  const startDelay = Math.max(0, Date.parse(timeoutAt) - Date.now());
  return { how: { ...FIRST_START, startDelay }, sleepsUntil: timeoutAt };
}

/** Limits that no installation sets. Tests have longer ones. */
export interface TemporalTimeouts {
  /**
   * If a worker dies, another takes over its task after this time: before the caller's request ends (`OUTCOME_TIMEOUTS`). An
   * overloaded worker that exceeds it does its work twice.
   */
  workflowTaskMs: number;
  /** A call to Temporal must end well before the API's client gives up. */
  callMs: number;
}

export const TEMPORAL_TIMEOUTS: TemporalTimeouts = { workflowTaskMs: 3_000, callMs: 2_000 };

/** Options of a workflow that starts at the order's row. */
export function startOptions(
  input: OrderInput,
  { currency, amount_fiat }: OrderLabel,
  { workflowTaskMs }: TemporalTimeouts,
) {
  const { state, orderId } = input;
  const attributes = SEARCH_ATTRIBUTES;
  return {
    workflowId: orderWorkflowId(orderId),
    taskQueue: TASK_QUEUE,
    args: [input] as [OrderInput],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowTaskTimeout: workflowTaskMs,
    staticSummary: `Order ${orderId}: deliver ${amount_fiat} ${currency}`,
    staticDetails: `\`npm run admin -- why ${orderId}\` shows the party that acts next, and what blocks it.`,
    memo: { order_id: orderId, amount_fiat, currency },
    typedSearchAttributes: [
      { key: attributes.orderStatus, value: state.status },
      { key: attributes.version, value: state.version },
      { key: attributes.waitingFor, value: waitingFor(state) },
      { key: attributes.currency, value: currency },
      ...(state.timeoutAt ? [{ key: attributes.dueAt, value: new Date(state.timeoutAt) }] : []),
      ...(state.lpId ? [{ key: attributes.lpId, value: state.lpId }] : []),
    ],
  };
}

/** A bulk run, as the Temporal UI shows it. */
export interface BulkLabel {
  id: number;
  action: string;
  orders: number;
}

export const bulkStartOptions = ({ id, action, orders }: BulkLabel) => ({
  workflowId: bulkWorkflowId(id),
  taskQueue: TASK_QUEUE,
  args: [{ runId: id }] as [BulkInput],
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  staticSummary: `Bulk run ${id}: ${action}, ${orders} orders`,
  staticDetails: `\`npm run admin -- bulk show ${id}\` shows how far it is, and what became of its orders.`,
  memo: { bulk_run: id, action, orders, treated: 0 },
});
