import { ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import type { Database } from '../orm.ts';
import { orderTotals } from './order-totals.ts';

/** Spelled as the predicate of the index `orders_live`, so that the planner uses it. */
const LIVE = `
  select status, count(*) as orders from orders where status not in ('completed', 'cancelled') group by status`;

/** How many orders stand in each status; those in which none does included. */
export async function orderCounts(db: Database): Promise<Record<OrderStatus, number>> {
  const live = await db.query<{ status: OrderStatus; orders: number }>('order-counts', LIVE, []);
  const { completed, cancelled } = await orderTotals(db);
  const counts = new Map(live.map(({ status, orders }) => [status, orders]));
  counts.set('completed', completed).set('cancelled', cancelled);
  return Object.fromEntries(ORDER_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    OrderStatus,
    number
  >;
}
