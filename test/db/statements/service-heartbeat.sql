-- $1: toleratedMs

with previous as (
  select recorded_at, good_until < now() as stopped from service_heartbeat for update
),
stopped as (
  select o.id, least((select recorded_at from previous), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = o.crypto_chain and o.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = o.currency and coalesce(incident.method, o.corridor_method) = o.corridor_method
        and o.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or o.deadline_set_at < incident.closing_at)))) as since
  from orders o
  where (select stopped from previous) and o.timeout_at is not null and o.status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending')
  order by o.id
  for update of o
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
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
  select after.id, after.version, after.status, after.status, 'service', 'outage',
    'The service was unavailable after ' || to_char((select recorded_at from previous) at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') ||
      ' UTC; the deadline moved by as long',
    jsonb_build_object('id', after.id, 'user_id', after.user_id, 'lp_id', after.lp_id, 'type', after.type, 'amount_fiat', after.amount_fiat, 'currency', after.currency, 'amount_usd', after.amount_usd, 'amount_crypto', after.amount_crypto, 'crypto_symbol', after.crypto_symbol, 'crypto_chain', after.crypto_chain, 'lp_receive_address', after.lp_receive_address, 'destination_tag', after.destination_tag, 'user_crypto_tx_hash', after.user_crypto_tx_hash, 'spread_bps', after.spread_bps, 'fee_usd', after.fee_usd, 'status', after.status, 'timeout_at', after.timeout_at, 'created_at', after.created_at, 'completed_at', after.completed_at, 'cancelled_at', after.cancelled_at, 'callback_url', after.callback_url, 'receipt_url', after.receipt_url)
  from after
),
heartbeat as (
  insert into service_heartbeat (id, recorded_at, good_until)
  values (1, now(), now() + $1 * interval '1 millisecond')
  on conflict (id) do update set recorded_at = excluded.recorded_at, good_until = excluded.good_until
)
select count(*)::int as orders from after;
