import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { OrderState, StageDurations } from '../src/domain/order-state.ts';

/** What the service and the order workflow say to each other. Ids and amounts only: no recipient, phone or key. */

export const ORDER_WORKFLOW = 'order';
export const orderWorkflowId = (orderId: number): string => `order-${orderId}`;

/** Where the workflow begins: at the order's row, in whatever state that is. */
export interface OrderInput {
  orderId: number;
  state: OrderState;
  durations: StageDurations;
  /** Webhooks that are owed and not yet delivered, oldest first. */
  webhooks: number[];
}

/** Every signal names the request that the outcome is recorded under, and who asks. */
interface Envelope {
  requestId: string;
  /** `agent:3` or `lp:7`. */
  actor: string;
}
export interface ClaimSignal extends Envelope {
  lpId: number;
  /** USD to lock, decimal string. */
  collateral: string;
}
export interface FiatSentSignal extends Envelope {
  lpId: number;
}
export type ConfirmSignal = Envelope;
export interface SettleSignal extends Envelope {
  /** Normalised. */
  txHash: string;
  txHashGiven: string;
}

/** Signal names and what each carries. */
export interface OrderSignals {
  claim: ClaimSignal;
  fiatSent: FiatSentSignal;
  confirm: ConfirmSignal;
  settle: SettleSignal;
}

/** What an operator filters by in the Temporal UI; kept in Temporal's own store, so it stays when workers are down. */
export const SEARCH_ATTRIBUTES = {
  orderStatus: defineSearchAttributeKey('OrderStatus', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
  dueAt: defineSearchAttributeKey('DueAt', SearchAttributeType.DATETIME),
  lpId: defineSearchAttributeKey('LpId', SearchAttributeType.INT),
  currency: defineSearchAttributeKey('Currency', SearchAttributeType.KEYWORD),
};
