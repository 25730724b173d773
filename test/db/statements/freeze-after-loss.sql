-- $1: orderId
-- $2: seenVersion
-- $3: seenStatus

with before as (
  select * from orders
  where id = $1 and status not in ('completed', 'cancelled')
    and (version < $2::int or (version = $2::int and status <> $3))
    and version >= $2::int - 1000
),
after as (
  update orders set
    version = $2::int + 1,
    timeout_at = null,
    frozen_ms = case when orders.status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending') then coalesce(
      orders.frozen_ms,
      greatest(600000, extract(epoch from orders.timeout_at - coalesce((select greatest(orders.deadline_set_at, stop.since) from (select least((select least(case when orders.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = orders.crypto_chain and orders.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method
        and orders.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or orders.deadline_set_at < incident.closing_at)))) as since) stop
      where stop.since is not null), now())) * 1000)::bigint
    ) end,
    status_reason = 'The database lost commits: the order was seen as ' || coalesce($3, 'unknown') || ', version ' || $2::int || ', and its row was ' || before.status || ', version ' || before.version,
    status_reason_code = 'commits_lost'
  from before
  where orders.id = before.id and orders.version = before.version and orders.status = before.status
  returning orders.*
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, after.status, after.status, 'service', 'lost-commits', after.status_reason, after.status_reason_code,
    jsonb_build_object('id', after.id, 'user_id', after.user_id, 'lp_id', after.lp_id, 'type', after.type, 'amount_fiat', after.amount_fiat, 'currency', after.currency, 'amount_usd', after.amount_usd, 'amount_crypto', after.amount_crypto, 'crypto_symbol', after.crypto_symbol, 'crypto_chain', after.crypto_chain, 'lp_receive_address', after.lp_receive_address, 'destination_tag', after.destination_tag, 'user_crypto_tx_hash', after.user_crypto_tx_hash, 'spread_bps', after.spread_bps, 'fee_usd', after.fee_usd, 'status', after.status, 'timeout_at', after.timeout_at, 'created_at', after.created_at, 'completed_at', after.completed_at, 'cancelled_at', after.cancelled_at, 'callback_url', after.callback_url, 'receipt_url', after.receipt_url)
  from after
)
select before.version, before.status from before, after;
