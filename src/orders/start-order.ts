import type { OrderInput } from '../../workflows/messages.ts';
import { orderState, type StateRow } from '../db/steps/perform-step.ts';
import type { StageDurations } from '../domain/order-state.ts';
import type { OrderGateway } from './gateway.ts';

/** What a workflow needs to know of its order to begin, in whatever state that is. */
export interface StartableOrder extends StateRow {
  id: number;
  currency: string;
  amount_fiat: string;
}

/** Starts the workflow of an order from its row, with what it owes and whether to look for auto-claims: see `OrderInput`. */
export async function startOrder(
  gateway: OrderGateway,
  order: StartableOrder,
  durations: StageDurations,
  begin: Pick<OrderInput, 'webhooks' | 'autoClaims'>,
): Promise<void> {
  const label = { currency: order.currency, amountFiat: order.amount_fiat };
  await gateway.start({ orderId: order.id, state: orderState(order), durations, ...begin }, label);
}
