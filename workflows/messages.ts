import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { CommandRequest, Notice, SignalCommand } from '../src/domain/order-commands.ts';
import type { OrderState } from '../src/domain/order-state.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';

/** The messages between the service and the order workflow. Ids and amounts only: no recipient, phone or key. */

export const ORDER_WORKFLOW = 'order';
const ID_PREFIX = 'order-';
export const orderWorkflowId = (orderId: number): string => ID_PREFIX + orderId;
/** Undefined: the workflow belongs to no order. Anybody with access to Temporal can start such a workflow. */
export const orderIdOf = (workflowId: string): number | undefined =>
  /^order-[1-9]\d{0,14}$/.test(workflowId) ? Number(workflowId.slice(ID_PREFIX.length)) : undefined;

export const BULK_WORKFLOW = 'bulk';
export const bulkWorkflowId = (runId: number): string => `bulk-${runId}`;
/** The input of a bulk run's workflow: everything else is in its rows. */
export interface BulkInput {
  runId: number;
}

/** The workflow's input. It starts from the order's row, in any state. */
export interface OrderInput extends TraceContext {
  orderId: number;
  state: OrderState;
  /** Sequence numbers of the webhooks that the order owes, oldest first. */
  webhooks: number[];
  /** At least one LP has auto-claim on: the workflow searches for one as soon as it starts. */
  autoClaims: boolean;
  /** When the workflow would run if nothing woke it before; ISO 8601. Absent: it ran at once. */
  sleepsUntil?: string;
}

/** Carries a command or a notice to the workflow. Each has a signal of its trigger's name. */
export interface Envelope<Carried extends SignalCommand | Notice = SignalCommand>
  extends CommandRequest<Carried>,
    Pick<TraceContext, 'trace'> {
  signature: string;
}

/** Operators filter by these in the Temporal UI. Temporal stores them, so the UI shows them even while no worker runs. */
export const SEARCH_ATTRIBUTES = {
  orderStatus: defineSearchAttributeKey('OrderStatus', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
  dueAt: defineSearchAttributeKey('DueAt', SearchAttributeType.DATETIME),
  lpId: defineSearchAttributeKey('LpId', SearchAttributeType.INT),
  version: defineSearchAttributeKey('OrderVersion', SearchAttributeType.INT),
  currency: defineSearchAttributeKey('Currency', SearchAttributeType.KEYWORD),
};
