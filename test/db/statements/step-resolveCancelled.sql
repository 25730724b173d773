-- $1: orderId
-- $2: version
-- $3: from
-- $4: status
-- $5: keepsDeadline
-- $6: deadlineAt
-- $7: deadlineInMs
-- $8: stage
-- $9: requestId
-- $10: reason
-- $11: reasonCode
-- $12: slashUsd
-- $13: ofLp
-- $14: excludedLps
-- $15: reoffers
-- $16: rejections
-- $17: replacements
-- $18: frozenMs
-- $19: slashed
-- $20: rejectedHashes
-- $21: currentHash
-- $22: actor
-- $23: cause

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
    status_reason = coalesce((select reason from request_note where request_id = $9), $10),
    status_reason_code = coalesce((select code from request_note where request_id = $9), $11),
    cancelled_at = now(),
    slashed_usd = $12
  where orders.id = $1
    and orders.version = $2 and orders.status = $3
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($13::bigint, $14::bigint[], $15::int, $16::int, $17::int,
      $18::bigint, $19::numeric, $20::varchar[], $21::varchar)
    and $12::numeric <= orders.collateral_locked
  returning orders.*
),
balance as (
  update lp_collateral set
    locked = lp_collateral.locked - after.slashed_usd - (after.collateral_locked - after.slashed_usd),
    available = lp_collateral.available + (after.collateral_locked - after.slashed_usd)
  from after where lp_collateral.lp_id = after.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, order_id)
  select 'order/' || after.id || '/' || after.version || '/slash',
    'lp:' || after.lp_id || ':locked', 'platform:slashed', after.slashed_usd, after.id
  from after where after.slashed_usd <> 0
  union all
  select 'order/' || after.id || '/' || after.version || '/release',
    'lp:' || after.lp_id || ':locked', 'lp:' || after.lp_id || ':available', (after.collateral_locked - after.slashed_usd), after.id
  from after where (after.collateral_locked - after.slashed_usd) <> 0
),
freed as (
  delete from chain_transaction t using after
  where t.order_id = after.id
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, before.status, after.status, $22, $23, after.status_reason, after.status_reason_code,
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
  select $9, after.id, 'applied', after.status from after
)
select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  (select seq from delivery) as webhook
from after;
