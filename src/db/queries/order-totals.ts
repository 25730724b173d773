import type { Database } from '../orm.ts';
import type { FeedPosition } from './feed.ts';

/** Of all orders that have ended, and of the fees that they have paid. */
export interface OrderTotals {
  completed: number;
  cancelled: number;
  /** USD, decimal string. */
  feesUsd: string;
}

const PLACE = 'select xid::text, order_id as "orderId", seq from order_totals';

/** How far the events have been counted. */
export async function totalsPlace(db: Database): Promise<FeedPosition> {
  const [place] = await db.query<FeedPosition>('totals-place', PLACE, []);
  if (!place) throw new Error('The row of the totals is not there');
  return place;
}

/** Sums over events `e`: what ended with them, and paid. */
export const ENDINGS = `
  count(*) filter (where e.status = 'completed') as completed,
  count(*) filter (where e.status = 'cancelled') as cancelled,
  coalesce(sum((e.snapshot ->> 'fee_usd')::numeric) filter (where e.status = 'completed'), 0) as fees_usd`;
export const ENDS = `e.status in ('completed', 'cancelled') and e.from_status is distinct from e.status`;

// The place is a parameter, so that the plan is made for how little lies behind it.
const TOTALS = `
  select t.completed + tail.completed as completed, t.cancelled + tail.cancelled as cancelled,
    (t.fees_usd + tail.fees_usd)::text as "feesUsd"
  from order_totals t, (
    select ${ENDINGS} from order_event e where (e.xid, e.order_id, e.seq) > ($1::xid8, $2::bigint, $3::int) and ${ENDS}
  ) tail
  where (t.xid, t.order_id, t.seq) = ($1::xid8, $2::bigint, $3::int)`;

/**
 * What has been counted, and besides it the events since: exact at every moment, and no dearer for the orders of long
 * ago. Nothing that was committed can be missing behind the place: see `feed.ts`.
 */
export async function orderTotals(db: Database): Promise<OrderTotals> {
  for (;;) {
    const { xid, orderId, seq } = await totalsPlace(db);
    const [totals] = await db.query<OrderTotals & Record<string, unknown>>('totals', TOTALS, [
      xid,
      orderId,
      seq,
    ]);
    // None: counted further in between.
    if (totals) return totals;
  }
}
