import type { OrderInput } from '../../workflows/messages.ts';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import type { OrderStart } from '../temporal/start-options.ts';
import { orderState, STATE_COLUMNS, type StateRow } from './order-state-row.ts';

/** The columns of an order that its workflow needs to start, in any state. */
export interface StartableOrder extends StateRow, Pick<Partial<Order>, 'traceparent'> {
  id: number;
  currency: string;
  amount_fiat: string;
}

/** Selects the orders of these ids: `StartableOrder`s. */
const STARTABLE = `select id, currency, amount_fiat, traceparent, ${STATE_COLUMNS} from orders where id = any ($1) order by id`;

export const startableOrders = (db: Database, ids: number[]): Promise<StartableOrder[]> =>
  db.query<StartableOrder & Record<string, unknown>>('startable-orders', STARTABLE, [ids]);

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

/** What wakes the workflow of an order, and starts it if it is missing. */
export const wakes = (order: StartableOrder & { webhooks?: number[] }): OrderStart => ({
  input: startInput(order, { webhooks: order.webhooks ?? [], autoClaims: true }),
  label: order,
});

/** Only the workflow of an order that nobody has claimed may sleep. */
export const wakesUnclaimed = (order: StartableOrder): OrderStart | undefined =>
  order.status === 'matched' ? wakes(order) : undefined;
