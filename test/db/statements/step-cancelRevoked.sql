-- $1: orderId
-- $2: version
-- $3: from
-- $4: status
-- $5: keepsDeadline
-- $6: deadlineAt
-- $7: deadlineInMs
-- $8: stage
-- $9: reason
-- $10: reasonCode
-- $11: cause
-- $12: ofLp
-- $13: excludedLps
-- $14: reoffers
-- $15: rejections
-- $16: replacements
-- $17: frozenMs
-- $18: slashed
-- $19: rejectedHashes
-- $20: currentHash
-- $21: actor
-- $22: requestId

with before as (
  select * from orders where id = $1 and version = $2 and status = $3
),
after as (
  update orders set
    status = $4,
    version = orders.version + 1,
    timeout_at = case when $5 then orders.timeout_at else coalesce(
      $6::timestamptz,
      date_trunc('milliseconds', now())
        + coalesce($7::bigint, orders.stage_ms[$8::int]) * interval '1 millisecond'
    ) end,
    deadline_set_at = case when $5 then orders.deadline_set_at
      else date_trunc('milliseconds', now()) end,
    status_reason = $9,
    status_reason_code = $10,
    cancelled_at = now(),
    excluded_lp_ids = case $11 when 'release' then array_append(orders.excluded_lp_ids, orders.lp_id) else orders.excluded_lp_ids end
  where orders.id = $1
    and orders.version = $2 and orders.status = $3
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($12::bigint, $13::bigint[], $14::int, $15::int, $16::int,
      $17::bigint, $18::numeric, $19::varchar[], $20::varchar)
    and not exists (select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active)
    and orders.receipt_url is null
    and (orders.status = 'matched' or $11 <> 'revoke')
    and ($11 <> 'deadline' or coalesce((select greatest(orders.deadline_set_at, stop.since) from (select least((select least(case when orders.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = orders.crypto_chain and orders.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method
        and orders.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or orders.deadline_set_at < incident.closing_at)))) as since) stop
      where stop.since is not null), now()) >= orders.timeout_at and (select coalesce(outage_began_at, recorded_at) from service_heartbeat
    where good_until < now() or outage_ended_at is not null) is null)
  returning orders.*
),
balance as (
  update lp_collateral set
    locked = lp_collateral.locked - (coalesce(before.collateral_locked, 0)),
    available = lp_collateral.available + (coalesce(before.collateral_locked, 0))
  from after, before where lp_collateral.lp_id = after.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, order_id)
  select 'order/' || after.id || '/' || after.version || '/release',
    'lp:' || after.lp_id || ':locked', 'lp:' || after.lp_id || ':available', (coalesce(before.collateral_locked, 0)), after.id
  from after, before where (coalesce(before.collateral_locked, 0)) <> 0
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, before.status, after.status, $21, $11, after.status_reason, after.status_reason_code,
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
  select $22, after.id, 'applied', after.status from after
)
select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  (select seq from delivery) as webhook
from after;
