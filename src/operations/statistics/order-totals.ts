import type { Database } from '../../db/orm.ts';
import type { FeedPosition } from '../../domain/feed-cursor.ts';

/** Totals of the orders that have ended and of their fees. */
export interface OrderTotals {
  completed: number;
  cancelled: number;
  /** USD, decimal string. */
  feesUsd: string;
}

const PLACE = 'select xid::text, order_id as "orderId", seq from order_totals';

/** The position up to which events have been counted. */
export async function totalsPlace(db: Database): Promise<FeedPosition> {
  const [place] = await db.query<FeedPosition>('totals-place', PLACE, []);
  if (!place) throw new Error('The row of order_totals is missing');
  return place;
}

/** Sums over events `e`: the orders that ended with them, and their fees. */
export const ENDINGS = `
  count(*) filter (where e.status = 'completed') as completed,
  count(*) filter (where e.status = 'cancelled') as cancelled,
  coalesce(sum((e.snapshot ->> 'fee_usd')::numeric) filter (where e.status = 'completed'), 0) as fees_usd`;
export const ENDS = `e.status in ('completed', 'cancelled') and e.from_status is distinct from e.status`;

// The position is a parameter, so that the planner knows how few events follow it.
const TOTALS = `
  select t.completed + tail.completed as completed, t.cancelled + tail.cancelled as cancelled,
    (t.fees_usd + tail.fees_usd)::text as "feesUsd"
  from order_totals t, (
    select ${ENDINGS} from order_event e where (e.xid, e.order_id, e.seq) > ($1::xid8, $2::bigint, $3::int) and ${ENDS}
  ) tail
  where (t.xid, t.order_id, t.seq) = ($1::xid8, $2::bigint, $3::int)`;

/**
 * The counted totals plus the events since: always exact, at a cost that does not grow with old orders. No committed event
 * can be missing before the position: see `src/notify/feed`.
 */
export async function orderTotals(db: Database): Promise<OrderTotals> {
  for (;;) {
    const { xid, orderId, seq } = await totalsPlace(db);
    const [totals] = await db.query<OrderTotals & Record<string, unknown>>('totals', TOTALS, [
      xid,
      orderId,
      seq,
    ]);
    // No row: another run has moved the position since.
    if (totals) return totals;
  }
}
