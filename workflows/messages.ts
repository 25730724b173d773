import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { SignalCommand, SignalTrigger } from '../src/domain/order-commands.ts';
import type { OrderState, StageDurations } from '../src/domain/order-state.ts';
import type { Traced } from '../src/domain/traced.ts';

/** What the service and the order workflow say to each other. Ids and amounts only: no recipient, phone or key. */

export const ORDER_WORKFLOW = 'order';
const ID_PREFIX = 'order-';
export const orderWorkflowId = (orderId: number): string => ID_PREFIX + orderId;
/** Undefined for a workflow that no order has: somebody can start one by hand. */
export const orderIdOf = (workflowId: string): number | undefined =>
  /^order-[1-9]\d{0,14}$/.test(workflowId) ? Number(workflowId.slice(ID_PREFIX.length)) : undefined;

/** Where the workflow begins: at the order's row, in whatever state that is. */
export interface OrderInput extends Traced {
  orderId: number;
  state: OrderState;
  durations: StageDurations;
  /** Webhooks that are owed and not yet delivered, oldest first. */
  webhooks: number[];
  /** Some LP has auto-claim on: look at the start whether one takes the order. */
  autoClaims: boolean;
}

/** Every signal names the request that the outcome is recorded under, and who asks; the rest is the command. */
export interface Envelope extends Pick<Traced, 'trace'> {
  requestId: string;
  /** `agent:3`, `lp:7` or `admin`. */
  actor: string;
}

/** Tells a workflow what its row says, when it has fallen behind: Temporal's store lost its last moments. */
export type RefreshSignal = Pick<OrderInput, 'state' | 'webhooks'>;

/** Has a webhook sent again that its row says is owed. */
export interface RedeliverSignal extends Pick<Traced, 'trace'> {
  seq: number;
}

/** Tells a workflow that an LP has switched auto-claim on: it looks again who takes the order. Carries nothing. */
export const OFFER_SIGNAL = 'offer';

/** What each command's signal carries, by its name. */
export type OrderSignals = { [Name in SignalTrigger]: Envelope & FieldsOf<SignalCommand<Name>> };
type FieldsOf<Kind> = Kind extends unknown ? Omit<Kind, 'trigger'> : never;

/** What an operator filters by in the Temporal UI; kept in Temporal's own store, so it stays when workers are down. */
export const SEARCH_ATTRIBUTES = {
  orderStatus: defineSearchAttributeKey('OrderStatus', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
  dueAt: defineSearchAttributeKey('DueAt', SearchAttributeType.DATETIME),
  lpId: defineSearchAttributeKey('LpId', SearchAttributeType.INT),
  version: defineSearchAttributeKey('OrderVersion', SearchAttributeType.INT),
  currency: defineSearchAttributeKey('Currency', SearchAttributeType.KEYWORD),
};
