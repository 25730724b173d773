-- $1: afterId
-- $2: most

with outage as (
  select outage_began_at as began_at, outage_ended_at as ended_at from service_heartbeat
  where outage_ended_at is not null and pg_try_advisory_xact_lock(7266004)
),
stopped as (
  select o.id, least((select least(case when o.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = o.crypto_chain and o.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = o.currency and coalesce(incident.method, o.corridor_method) = o.corridor_method
        and o.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or o.deadline_set_at < incident.closing_at)))) as since
  from orders o, outage
  where o.id > $1 and o.status not in ('completed', 'cancelled') and o.deadline_set_at < outage.ended_at and o.timeout_at is not null and o.status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending')
  order by o.id
  limit $2 for update of o
),
after as (
  update orders o set
    version = o.version + 1,
    timeout_at = o.timeout_at + (now() - greatest(o.deadline_set_at, stopped.since)),
    expires_at = case when o.status = 'matched'
      then o.timeout_at + (now() - greatest(o.deadline_set_at, stopped.since)) else o.expires_at end,
    deadline_set_at = date_trunc('milliseconds', now())
  from stopped where o.id = stopped.id and o.deadline_set_at < now() and o.timeout_at is not null
  returning o.*, stopped.since
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, after.status, after.status, 'service', 'outage',
    'The service was unavailable after ' || to_char((select began_at from outage) at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') || ' UTC; the deadline moved by as long',
    'after_outage',
    jsonb_build_object('id', after.id, 'user_id', after.user_id, 'lp_id', after.lp_id, 'type', after.type, 'amount_fiat', after.amount_fiat, 'currency', after.currency, 'amount_usd', after.amount_usd, 'amount_crypto', after.amount_crypto, 'crypto_symbol', after.crypto_symbol, 'crypto_chain', after.crypto_chain, 'lp_receive_address', after.lp_receive_address, 'destination_tag', after.destination_tag, 'user_crypto_tx_hash', after.user_crypto_tx_hash, 'spread_bps', after.spread_bps, 'fee_usd', after.fee_usd, 'status', after.status, 'timeout_at', after.timeout_at, 'created_at', after.created_at, 'completed_at', after.completed_at, 'cancelled_at', after.cancelled_at, 'callback_url', after.callback_url, 'receipt_url', after.receipt_url)
  from after
)
select (select max(id) from stopped) as last, (select count(*)::int from after) as moved;
