import type { Database } from '../../db/orm.ts';
import { FEED_START, type FeedPosition } from '../../domain/feed-cursor.ts';
import { LEFT_QUOTES, RECENT } from '../../domain/lp-ranking.ts';
import { answersForQuote } from './answers-for-quote.ts';

const READER = 'lp-statistics';

/** SQL condition on an array of quotes. */
const leftMost = (quotes: string) => {
  const latest = `${quotes}[1:${LEFT_QUOTES.among}]`;
  const left = `cardinality(array_positions(${latest}, false))`;
  return `${left} >= ${LEFT_QUOTES.least} and ${left} * 2 > cardinality(${latest})`;
};

const POSITION = 'select xid::text, order_id as "orderId", seq from feed_cursor where reader = $1';

/**
 * Adds the next events of the feed to the statistics and moves the reader's position, in one statement. So each event
 * counts once, even if several processes read or one dies. If the position is not the expected one, nothing changes.
 *
 * An outcome is a completed order, a failed claim (the LP released the order, or missed the fiat deadline), or a dispute that
 * cost the LP a part of its collateral and ended the order. Only completed orders count for the LP's speed, because there the
 * agent has confirmed the fiat.
 *
 * Claims count for the LP, including orders quoted from other LPs. Orders that were quoted from it and expired
 * unclaimed count against it if it answers for them.
 */
const ADD_EVENTS = `
  with batch as materialized (
    select xid, order_id, seq, from_status, status, cause, snapshot, created_at from order_event
    where (xid, order_id, seq) > ($2::xid8, $3::bigint, $4::int) and xid < feed_horizon()
    order by xid, order_id, seq
    limit $5
  ),
  outcome as (
    select batch.xid, batch.order_id, batch.seq, batch.status = 'completed' as completed,
      (previous.snapshot ->> 'lp_id')::bigint as lp_id, payout.seconds
    from batch
    join order_event previous on previous.order_id = batch.order_id and previous.seq = batch.seq - 1
    left join lateral (
      select greatest(0, round(extract(epoch from sent.created_at - claimed.created_at)))::int as seconds
      from order_event sent
      join order_event claimed on claimed.order_id = sent.order_id and claimed.seq < sent.seq
      where batch.status = 'completed' and sent.order_id = batch.order_id
        and sent.from_status = 'claimed' and sent.status = 'fiat_sent'
        and claimed.from_status = 'matched' and claimed.status = 'claimed'
      order by claimed.seq desc
      limit 1
    ) payout on true
    where (batch.status = 'completed' and batch.from_status <> 'completed')
      or (
        batch.from_status = 'claimed' and batch.status in ('matched', 'cancelled')
        and batch.cause in ('deadline', 'release')
        -- A failed claim takes the order from its LP. One that ends because the agent's key is revoked leaves it with the LP.
        and batch.snapshot ->> 'lp_id' is null
      )
      or (
        batch.from_status = 'disputed' and batch.status = 'cancelled'
        and exists (select from orders o where o.id = batch.order_id and o.slashed_usd > 0)
      )
  ),
  ended_quote as (
    select batch.xid, batch.order_id, batch.seq, batch.created_at, batch.status = 'claimed' as claimed,
      (case when batch.status = 'claimed' then batch.snapshot else previous.snapshot end ->> 'lp_id')::bigint as lp_id
    from batch
    join order_event previous on previous.order_id = batch.order_id and previous.seq = batch.seq - 1
    where batch.from_status = 'matched'
      and (batch.status = 'claimed' or (batch.status = 'cancelled' and batch.cause = 'deadline'))
      and (batch.status = 'claimed' or exists (
        select from orders o
        where o.id = batch.order_id and ${answersForQuote('o', "(previous.snapshot ->> 'lp_id')::bigint", '$6')}
      ))
  ),
  quotes as (
    select lp_id, array_agg(claimed order by xid desc, order_id desc, seq desc) as quotes,
      max(created_at) filter (where not claimed) + interval '${LEFT_QUOTES.hours} hours' as last_until
    from ended_quote where lp_id is not null group by lp_id
  ),
  news as (
    select lp_id, count(*) filter (where completed)::int as completed,
      array_agg(completed order by xid desc, order_id desc, seq desc) as outcomes,
      coalesce(array_agg(seconds order by xid desc, order_id desc, seq desc) filter (where seconds is not null), '{}')
        as fiat_seconds
    from outcome where lp_id is not null group by lp_id
  ),
  merged as (
    select lp_id, coalesce(old.orders_completed, 0) + coalesce(news.completed, 0) as orders_completed,
      (coalesce(news.outcomes, '{}') || coalesce(old.recent_outcomes, '{}'))[1:${RECENT}] as outcomes,
      (coalesce(quotes.quotes, '{}') || coalesce(old.recent_quotes, '{}'))[1:${RECENT}] as quotes,
      greatest(quotes.last_until, old.ranks_last_until) as last_until,
      (coalesce(news.fiat_seconds, '{}') || coalesce(old.recent_fiat_seconds, '{}'))[1:${RECENT}] as fiat_seconds
    from news full join quotes using (lp_id) left join lp_statistics old using (lp_id)
  ),
  moved as (
    insert into feed_cursor as known (reader, xid, order_id, seq)
    select $1, xid, order_id, seq from batch order by xid desc, order_id desc, seq desc limit 1
    on conflict (reader) do update set xid = excluded.xid, order_id = excluded.order_id, seq = excluded.seq
    where (known.xid, known.order_id, known.seq) = ($2::xid8, $3::bigint, $4::int)
    returning reader
  ),
  kept as (
    insert into lp_statistics (
      lp_id, orders_completed, recent_outcomes, recent_completed, recent_failed_claims, recent_quotes, recent_unclaimed,
      ranks_last_until, recent_fiat_seconds, median_fiat_seconds
    )
    select lp_id, orders_completed, outcomes, cardinality(array_positions(outcomes, true)),
      cardinality(array_positions(outcomes, false)), quotes, cardinality(array_positions(quotes, false)),
      case when ${leftMost('quotes')} then last_until end, fiat_seconds,
      (select percentile_disc(0.5) within group (order by seconds) from unnest(fiat_seconds) seconds)
    from merged where exists (select from moved)
    on conflict (lp_id) do update set
      orders_completed = excluded.orders_completed, recent_outcomes = excluded.recent_outcomes,
      recent_completed = excluded.recent_completed, recent_failed_claims = excluded.recent_failed_claims,
      recent_quotes = excluded.recent_quotes, recent_unclaimed = excluded.recent_unclaimed,
      ranks_last_until = excluded.ranks_last_until,
      recent_fiat_seconds = excluded.recent_fiat_seconds, median_fiat_seconds = excluded.median_fiat_seconds,
      updated_at = now()
  )
  select count(*)::int as events from batch where exists (select from moved)`;

/** Adds up to `limit` events, and returns how many it added. `coolDownMs`: the first cool-down after a strike. */
export async function refreshLpStatistics(db: Database, limit: number, coolDownMs: number): Promise<number> {
  const [position = FEED_START] = await db.query<FeedPosition>('statistics-position', POSITION, [READER]);
  const values = [READER, position.xid, position.orderId, position.seq, limit, coolDownMs];
  const [row] = await db.query<{ events: number }>('statistics-add-events', ADD_EVENTS, values);
  return row?.events ?? 0;
}
