import type { OrderStatus } from '../../domain/order-state.ts';
import type { Database } from '../orm.ts';

/** A deadline that was made to pass, and what the order did then. */
export interface FiredDeadline {
  fired_at: Date;
  /** Null while its workflow has not come to it. */
  status: OrderStatus | null;
  reason: string | null;
}

type Row = Omit<FiredDeadline, 'fired_at'> & { fired_at: string };

const FIRED = `
  select fired.created_at as fired_at, next.status, next.reason
  from order_event fired
  left join lateral (
    select e.status, e.reason from order_event e
    where e.order_id = fired.order_id and e.seq > fired.seq and e.cause <> 'outage'
    order by e.seq limit 1
  ) next on true
  where fired.order_id = $1 and fired.seq > $2 and fired.cause = 'advance'
  order by fired.seq limit 1`;

/** The first deadline of the order that was made to pass after this version of it; undefined where none was. */
export async function firedDeadline(
  db: Database,
  orderId: number,
  version: number,
): Promise<FiredDeadline | undefined> {
  const [row] = await db.query<Row>('fired-deadline', FIRED, [orderId, version]);
  return row && { ...row, fired_at: new Date(row.fired_at) };
}
