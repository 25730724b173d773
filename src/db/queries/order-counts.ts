import { ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import type { Database } from '../orm.ts';

const COUNTS = 'select status, count(*) as orders from orders group by status';

/** How many orders stand in each status; those in which none does included. */
export async function orderCounts(db: Database): Promise<Record<OrderStatus, number>> {
  const rows = await db.query<{ status: OrderStatus; orders: number }>('order-counts', COUNTS, []);
  const counts = new Map(rows.map(({ status, orders }) => [status, orders]));
  return Object.fromEntries(ORDER_STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<
    OrderStatus,
    number
  >;
}
