import type { CompletedOrder } from '../../domain/lp-history.ts';
import type { Database } from '../orm.ts';

/** Of an LP's newest orders, so many are looked at: what it costs does not grow with its past. */
export const LOOKED_AT = 2_000;

/** The time to the fiat is that of the last claim: others may have had the order before. */
const COMPLETED = `
  select to_char(o.completed_at at time zone 'UTC', 'YYYY-MM-DD') as date, o.amount_fiat, o.amount_usd, o.spread_bps,
    o.fee_usd, own.rate_usd as own_rate, payout.seconds as fiat_seconds
  from (select * from orders where lp_id = $1 order by id desc limit ${LOOKED_AT}) o
  left join lp_rate own on own.lp_id = $1 and own.currency = o.currency
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

/** What an LP has completed since a time, of its newest orders. */
export const completedSince = (db: Database, lpId: number, since: Date): Promise<CompletedOrder[]> =>
  db.query<CompletedOrder>('lp-history', COMPLETED, [lpId, since.toISOString()]);
