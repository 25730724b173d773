import type { OrderInput } from '../../workflows/messages.ts';
import type { Order } from '../db/entities/order.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { orderState, type StateRow } from './order-state-row.ts';

/** The columns of an order that its workflow needs to start, in any state. */
export interface StartableOrder extends StateRow, Pick<Partial<Order>, 'traceparent'> {
  id: number;
  currency: string;
  amount_fiat: string;
}

/** The input of a workflow that starts from the order's row: see `OrderInput`. */
export const startInput = (
  order: StartableOrder,
  begin: Pick<OrderInput, 'webhooks' | 'autoClaims'>,
): OrderInput => ({
  orderId: order.id,
  state: orderState(order),
  ...begin,
  ...(order.traceparent && { origin: order.traceparent }),
});

/** Replaces the running workflow of an order by a new one, started from the row. `webhooks`: the pending deliveries. */
export function restartOrder(
  gateway: Pick<OrderGateway, 'restart'>,
  order: StartableOrder & { webhooks: number[] },
): Promise<void> {
  const { webhooks } = order;
  return gateway.restart(startInput(order, { webhooks, autoClaims: true }), order);
}

/** Starts the workflow of an order from its row. */
export async function startOrder(
  gateway: OrderGateway,
  order: StartableOrder,
  begin: Pick<OrderInput, 'webhooks' | 'autoClaims'>,
): Promise<void> {
  await gateway.start(startInput(order, begin), order);
}
