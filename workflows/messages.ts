import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { SignalCommand } from '../src/domain/order-commands.ts';
import type { OrderState } from '../src/domain/order-state.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';

/** The messages between the service and the order workflow. Ids and amounts only: no recipient, phone or key. */

export const ORDER_WORKFLOW = 'order';
const ID_PREFIX = 'order-';
export const orderWorkflowId = (orderId: number): string => ID_PREFIX + orderId;
/** Undefined: the workflow belongs to no order. Anybody with access to Temporal can start such a workflow. */
export const orderIdOf = (workflowId: string): number | undefined =>
  /^order-[1-9]\d{0,14}$/.test(workflowId) ? Number(workflowId.slice(ID_PREFIX.length)) : undefined;

/** The workflow's input. It starts from the order's row, in any state. */
export interface OrderInput extends TraceContext {
  orderId: number;
  state: OrderState;
  /** Sequence numbers of the webhooks that the order owes, oldest first. */
  webhooks: number[];
  /** At least one LP has auto-claim on: the workflow searches for one as soon as it starts. */
  autoClaims: boolean;
}

/** Carries a command to the workflow. Each command has a signal of its trigger's name. */
export interface Envelope extends Pick<TraceContext, 'trace'> {
  /** The workflow records the command's outcome under this id (a UUID). */
  requestId: string;
  /** `agent:3`, `lp:7` or `admin`. */
  actor: string;
  command: SignalCommand;
  /** By Corridor: see `src/temporal/command-signature.ts`. */
  signature: string;
}

/**
 * Sends the row's state to a workflow that is behind its row, because Temporal's store may have lost its latest writes.
 */
export type RefreshSignal = Pick<OrderInput, 'state' | 'webhooks' | 'trace'>;

/** Makes the workflow send a webhook again. The webhook's row is already pending. */
export interface RedeliverSignal extends Pick<TraceContext, 'trace'> {
  seq: number;
}

export const REFRESH_SIGNAL = 'refresh';
export const REDELIVER_SIGNAL = 'redeliver';
/** Carries no data. Sent when an LP has switched auto-claim on: the workflow searches again for an LP. */
export const OFFER_SIGNAL = 'offer';

/** Operators filter by these in the Temporal UI. Temporal stores them, so the UI shows them even while no worker runs. */
export const SEARCH_ATTRIBUTES = {
  orderStatus: defineSearchAttributeKey('OrderStatus', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
  dueAt: defineSearchAttributeKey('DueAt', SearchAttributeType.DATETIME),
  lpId: defineSearchAttributeKey('LpId', SearchAttributeType.INT),
  version: defineSearchAttributeKey('OrderVersion', SearchAttributeType.INT),
  currency: defineSearchAttributeKey('Currency', SearchAttributeType.KEYWORD),
};
