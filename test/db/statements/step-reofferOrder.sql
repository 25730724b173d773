-- $1: orderId
-- $2: version
-- $3: from
-- $4: freeSince
-- $5: freeReleases
-- $6: status
-- $7: keepsDeadline
-- $8: deadlineAt
-- $9: deadlineInMs
-- $10: stage
-- $11: requestId
-- $12: reason
-- $13: reasonCode
-- $14: ofLp
-- $15: excludedLps
-- $16: reoffers
-- $17: rejections
-- $18: replacements
-- $19: frozenMs
-- $20: slashed
-- $21: rejectedHashes
-- $22: currentHash
-- $23: cause
-- $24: actor

with before as (
  select * from orders where id = $1 and version = $2 and status = $3
),
failure as materialized (
  select ended.kind from before, lateral (
    select case
        when not exists (select from agent_key where agent_key.id = before.agent_key_id and agent_key.is_active) then 'excused'
        when $4::timestamptz is null then 'counts'
        when bool_or(e.cause in ('outage', 'incident', 'lost-commits')) or coalesce((select greatest(before.deadline_set_at, stop.since) from (select least((select least(case when before.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = before.crypto_chain and before.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = before.currency and coalesce(incident.method, before.corridor_method) = before.corridor_method
        and before.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or before.deadline_set_at < incident.closing_at)))) as since) stop
      where stop.since is not null), now()) < least(now(), before.timeout_at) then 'excused'
        when min(e.created_at) > $4::timestamptz and has_free_release(before.lp_id, $5::int) then 'free'
        else 'counts'
      end as kind
    from order_event e
    where e.order_id = before.id and e.seq <= before.version and e.seq >= (
      select max(claimed.seq) from order_event claimed
      where claimed.order_id = before.id and claimed.from_status = 'matched' and claimed.status = 'claimed'
    )
  ) ended
),
after as (
  update orders set
    status = $6,
    version = orders.version + 1,
    timeout_at = case when $7 then orders.timeout_at else coalesce(
      $8::timestamptz,
      date_trunc('milliseconds', now())
        + coalesce($9::bigint, orders.stage_ms[$10::int]) * interval '1 millisecond'
    ) end,
    deadline_set_at = case when $7 then orders.deadline_set_at
      else date_trunc('milliseconds', now()) end,
    status_reason = coalesce((select reason from request_note where request_id = $11), $12),
    status_reason_code = coalesce((select code from request_note where request_id = $11), $13),
    lp_id = null,
    lp_receive_address = null,
    destination_tag = null,
    collateral_locked = null,
    float_reserved = null,
    claim_rate_usd = null,
    reoffers = orders.reoffers + case failure.kind when 'counts' then 1 else 0 end,
    excluded_lp_ids = array_append(orders.excluded_lp_ids, orders.lp_id)
  from failure
  where orders.id = $1
    and orders.version = $2 and orders.status = $3
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($14::bigint, $15::bigint[], $16::int, $17::int, $18::int,
      $19::bigint, $20::numeric, $21::varchar[], $22::varchar)
    and ($23 <> 'deadline' or coalesce((select greatest(orders.deadline_set_at, stop.since) from (select least((select least(case when orders.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = orders.crypto_chain and orders.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method
        and orders.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or orders.deadline_set_at < incident.closing_at)))) as since) stop
      where stop.since is not null), now()) >= orders.timeout_at and (select coalesce(outage_began_at, recorded_at) from service_heartbeat
    where good_until < now() or outage_ended_at is not null) is null)
    and orders.receipt_url is null
    and exists (select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active) and (now() < orders.expires_at or exists (
      select from lp_term term
      join lp on lp.id = term.lp_id
      join lp_asset asset on asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
      where term.quoting and term.currency = orders.currency and term.method = orders.corridor_method
      and orders.amount_fiat >= term.min_fiat and orders.amount_fiat <= coalesce(term.max_fiat, orders.amount_fiat) and orders.amount_fiat <= coalesce(term.float_available, orders.amount_fiat) and lp.status = 'approved'
        and lp.id <> orders.lp_id and lp.id <> all (orders.excluded_lp_ids)
    ))
    and (orders.reoffers < 2 or failure.kind <> 'counts')
  returning orders.*
),
balance as (
  update lp_collateral set
    locked = lp_collateral.locked - before.collateral_locked,
    available = lp_collateral.available + before.collateral_locked
  from after, before where lp_collateral.lp_id = before.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, order_id)
  select 'order/' || after.id || '/' || after.version || '/release',
    'lp:' || before.lp_id || ':locked', 'lp:' || before.lp_id || ':available', before.collateral_locked, after.id
  from after, before where before.collateral_locked <> 0
),
strike as (
  insert into lp_strike (order_id, seq, lp_id)
  select after.id, after.version, before.lp_id from after, before, failure where failure.kind = 'counts'
),
free as (
  insert into free_release (order_id, seq, lp_id)
  select after.id, after.version, before.lp_id from after, before, failure where failure.kind = 'free'
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, before.status, after.status, $24, $23, after.status_reason, after.status_reason_code,
    jsonb_build_object('id', after.id, 'user_id', after.user_id, 'lp_id', after.lp_id, 'type', after.type, 'amount_fiat', after.amount_fiat, 'currency', after.currency, 'amount_usd', after.amount_usd, 'amount_crypto', after.amount_crypto, 'crypto_symbol', after.crypto_symbol, 'crypto_chain', after.crypto_chain, 'lp_receive_address', after.lp_receive_address, 'destination_tag', after.destination_tag, 'user_crypto_tx_hash', after.user_crypto_tx_hash, 'spread_bps', after.spread_bps, 'fee_usd', after.fee_usd, 'status', after.status, 'timeout_at', after.timeout_at, 'created_at', after.created_at, 'completed_at', after.completed_at, 'cancelled_at', after.cancelled_at, 'callback_url', after.callback_url, 'receipt_url', after.receipt_url)
  from after, before
),
delivery as (
  insert into webhook_delivery (order_id, seq)
  select after.id, after.version
  from after, before where after.callback_url is not null and after.status <> before.status
  returning seq
),
outcome as (
  insert into order_outcome (request_id, order_id, result, status)
  select $11, after.id, 'applied', after.status from after
)
select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  (select seq from delivery) as webhook
from after;
