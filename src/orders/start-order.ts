import type { OrderInput } from '../../workflows/messages.ts';
import type { Order } from '../db/entities/order.ts';
import type { ReconciledOrder } from '../db/queries/reconciled-orders.ts';
import { orderState, type StateRow } from '../db/steps/perform-step.ts';
import type { StageDurations } from '../domain/order-state.ts';
import type { OrderGateway } from './gateway.ts';

/** What a workflow needs to know of its order to begin, in whatever state that is. */
export interface StartableOrder extends StateRow, Pick<Partial<Order>, 'traceparent'> {
  id: number;
  currency: string;
  amount_fiat: string;
}

/** Where a workflow of this order begins, with what it owes and whether to look for auto-claims: see `OrderInput`. */
export const startInput = (
  order: StartableOrder,
  durations: StageDurations,
  begin: Pick<OrderInput, 'webhooks' | 'autoClaims'>,
): OrderInput => ({
  orderId: order.id,
  state: orderState(order),
  durations,
  ...begin,
  ...(order.traceparent && { origin: order.traceparent }),
});

/** Starts the workflow of an order from its row in place of the one that runs, with all that the order owes. */
export function startOrderAnew(
  gateway: Pick<OrderGateway, 'startAnew'>,
  order: ReconciledOrder,
  durations: StageDurations,
): Promise<void> {
  const { webhooks } = order;
  return gateway.startAnew(startInput(order, durations, { webhooks, autoClaims: true }), order);
}

/** Starts the workflow of an order from its row. */
export async function startOrder(
  gateway: OrderGateway,
  order: StartableOrder,
  durations: StageDurations,
  begin: Pick<OrderInput, 'webhooks' | 'autoClaims'>,
): Promise<void> {
  await gateway.start(startInput(order, durations, begin), order);
}
