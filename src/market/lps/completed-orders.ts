import type { Database } from '../../db/orm.ts';
import type { CompletedOrder } from '../../domain/lp-history.ts';

/** How many of an LP's newest orders to read, so that the cost does not grow with the LP's history. */
export const MAX_ORDERS_READ = 2_000;

/** `fiat_seconds` counts from the last claim: other LPs may have claimed the order before. */
const COMPLETED = `
  select to_char(o.completed_at at time zone 'UTC', 'YYYY-MM-DD') as date, o.amount_fiat, o.amount_usd, o.spread_bps,
    o.fee_usd, o.claim_rate_usd as own_rate, payout.seconds as fiat_seconds
  from (select * from orders where lp_id = $1 order by id desc limit ${MAX_ORDERS_READ}) o
  left join lateral (
    select greatest(0, round(extract(epoch from sent.created_at - claimed.created_at)))::int as seconds
    from order_event sent
    join order_event claimed on claimed.order_id = sent.order_id and claimed.seq < sent.seq
    where sent.order_id = o.id and sent.from_status = 'claimed' and sent.status = 'fiat_sent'
      and claimed.from_status = 'matched' and claimed.status = 'claimed'
    order by claimed.seq desc
    limit 1
  ) payout on true
  where o.status = 'completed' and o.completed_at >= $2`;

/** Lists the orders that an LP completed since a time, among the newest `MAX_ORDERS_READ` orders of the LP. */
export const completedSince = (db: Database, lpId: number, since: Date): Promise<CompletedOrder[]> =>
  db.query<CompletedOrder>('lp-history', COMPLETED, [lpId, since.toISOString()]);
