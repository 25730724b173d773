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
-- $11: ofLp
-- $12: excludedLps
-- $13: reoffers
-- $14: rejections
-- $15: replacements
-- $16: frozenMs
-- $17: slashed
-- $18: rejectedHashes
-- $19: currentHash
-- $20: lpId
-- $21: strikeCoolDown
-- $22: validUntil
-- $23: cause
-- $24: actor
-- $25: requestId

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
    lp_id = lp.id,
    lp_receive_address = asset.address,
    destination_tag = asset.destination_tag,
    collateral_locked = ceil(orders.amount_usd * ('{1.00,0.75,0.50,0.25,0.15}'::numeric[])[lp.tier + 1] * 100) / 100,
    float_reserved = case when term.float_available is not null then orders.amount_fiat end,
    claim_rate_usd = (
      select priced.rate_usd from priced_term priced
      where priced.lp_id = term.lp_id and priced.currency = term.currency and priced.method = term.method
        and priced.rate_until > now()
    )
  from lp join receiving_asset asset on asset.lp_id = lp.id join lp_term term on term.lp_id = lp.id
  where orders.id = $1
    and orders.version = $2 and orders.status = $3
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($11::bigint, $12::bigint[], $13::int, $14::int, $15::int,
      $16::bigint, $17::numeric, $18::varchar[], $19::varchar)
    and lp.id = $20
    and lp.status = 'approved'
    and not exists (select paused.reason from (select pause.reason from pause
    where (pause.currency is null or pause.currency = orders.currency)
      and (pause.agent_key_id is null or pause.agent_key_id = orders.agent_key_id) for key share) paused
    union all select incident.reason from incident
    where incident.closed_at is null and (incident.chain = orders.crypto_chain or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method)
    limit 1)
    and not coalesce((select struck.cooling_until > now() from (
  select count(*)::int as strikes,
    max(created_at) + make_interval(
      secs => least($21::float8 / 1000 * power(2, least(count(*) - 1, 60)), 86400)
    ) as cooling_until
  from lp_strike where lp_id = lp.id and forgiveness_id is null and created_at > now() - interval '30 days') struck), false)
    and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
    and term.currency = orders.currency and term.method = orders.corridor_method
    and orders.amount_fiat >= term.min_fiat
    and orders.amount_fiat <= coalesce(term.max_fiat, orders.amount_fiat)
    and orders.amount_fiat <= coalesce(term.float_available, orders.amount_fiat)
    and exists (
      select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active
        and (agent_key.expires_at is null or agent_key.expires_at > now())
    )
    and now() <= $22::timestamptz
    and ($23 <> 'auto-claim' or exists (
      select from lp_auto_claim auto
      join lp_rate rate on rate.lp_id = auto.lp_id and rate.currency = orders.currency and rate.method = orders.corridor_method
      and orders.amount_fiat >= rate.min_fiat and orders.amount_fiat <= coalesce(rate.max_fiat, orders.amount_fiat) and orders.amount_fiat <= coalesce(rate.float_available, orders.amount_fiat)
      where auto.lp_id = lp.id and auto.enabled and orders.timeout_at > now()
        and (auto.max_amount_usd is null or orders.amount_usd <= auto.max_amount_usd)
        and (auto.currencies is null or orders.currency = any (auto.currencies))
        and (orders.amount_usd * (10000 + orders.spread_bps) * 0.0001 - auto.min_profit_usd) * rate.rate_usd
          >= orders.amount_fiat
    ))
    and require_room_to_claim(orders.agent_key_id, orders.amount_usd)
  returning orders.*
),
balance as (
  update lp_collateral set
    available = lp_collateral.available - after.collateral_locked,
    locked = lp_collateral.locked + after.collateral_locked
  from after where lp_collateral.lp_id = after.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, order_id)
  select 'order/' || after.id || '/' || after.version || '/lock',
    'lp:' || after.lp_id || ':available', 'lp:' || after.lp_id || ':locked', after.collateral_locked, after.id
  from after where after.collateral_locked <> 0
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
  select $25, after.id, 'applied', after.status from after
)
select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  (select seq from delivery) as webhook
from after;
