import type { Database } from '../../db/orm.ts';
import { ENDINGS, ENDS, totalsPlace } from './order-totals.ts';

/** Counts the next events of the feed and moves the position in one statement, so that concurrent runs count each once. */
const COUNT = `
  with e as materialized (
    select xid, order_id, seq, from_status, status, snapshot from order_event
    where (xid, order_id, seq) > ($1::xid8, $2::bigint, $3::int) and xid < feed_horizon()
    order by xid, order_id, seq
    limit $4
  ),
  last as (select xid, order_id, seq from e order by xid desc, order_id desc, seq desc limit 1),
  news as (select ${ENDINGS} from e where ${ENDS})
  update order_totals t
  set xid = last.xid, order_id = last.order_id, seq = last.seq, completed = t.completed + news.completed,
    cancelled = t.cancelled + news.cancelled, fees_usd = t.fees_usd + news.fees_usd
  from last, news
  where (t.xid, t.order_id, t.seq) = ($1::xid8, $2::bigint, $3::int)
  returning (select count(*)::int from e) as events`;

/** Adds up to `limit` events to the totals and returns their number. */
export async function countEndings(db: Database, limit: number): Promise<number> {
  const { xid, orderId, seq } = await totalsPlace(db);
  const [row] = await db.query<{ events: number }>('totals-count', COUNT, [xid, orderId, seq, limit]);
  return row?.events ?? 0;
}
