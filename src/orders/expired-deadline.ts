import type { Database } from '../db/orm.ts';
import type { OrderStatus } from '../domain/order-state.ts';

/** A deadline that was expired now, and the order's next transition. */
export interface ExpiredDeadline {
  expired_at: Date;
  /** Null until the workflow has handled the deadline. */
  status: OrderStatus | null;
  reason: string | null;
}

type Row = Omit<ExpiredDeadline, 'expired_at'> & { expired_at: string };

const EXPIRED = `
  select expired.created_at as expired_at, next.status, next.reason
  from order_event expired
  left join lateral (
    select e.status, e.reason from order_event e
    where e.order_id = expired.order_id and e.seq > expired.seq and e.cause not in ('outage', 'incident', 'lost-commits')
    order by e.seq limit 1
  ) next on true
  where expired.order_id = $1 and expired.seq > $2 and expired.cause = 'expireNow'
  order by expired.seq limit 1`;

/** Returns the first deadline that was expired after this version of the order, or undefined if none was. */
export async function findExpiredDeadline(
  db: Database,
  orderId: number,
  version: number,
): Promise<ExpiredDeadline | undefined> {
  const [row] = await db.query<Row>('expired-deadline', EXPIRED, [orderId, version]);
  return row && { ...row, expired_at: new Date(row.expired_at) };
}
