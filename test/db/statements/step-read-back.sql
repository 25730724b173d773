-- $1: requestId
-- $2: version
-- $3: from
-- $4: ofLp
-- $5: excludedLps
-- $6: reoffers
-- $7: rejections
-- $8: replacements
-- $9: frozenMs
-- $10: slashed
-- $11: rejectedHashes
-- $12: currentHash
-- $13: cause
-- $14: freeSince
-- $15: freeReleases
-- $16: disputeAfter
-- $17: strikeCoolDown
-- $18: validUntil
-- $19: lpId
-- $20: orderId

select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  (select result from order_outcome where request_id = $1) as result,
  (orders.version = $2 and orders.status = $3
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($4::bigint, $5::bigint[], $6::int, $7::int, $8::int,
      $9::bigint, $10::numeric, $11::varchar[], $12::varchar)) as is_state,
  ((select coalesce(outage_began_at, recorded_at) from service_heartbeat
    where good_until < now() or outage_ended_at is not null) is null and not exists (select from incident where incident.closed_at is null and ((incident.chain = orders.crypto_chain and orders.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method
        and orders.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or orders.deadline_set_at < incident.closing_at))
      having count(*) > 0 and greatest(orders.deadline_set_at, min(incident.opened_at)) < orders.timeout_at)) as may_expire,
  extract(epoch from orders.timeout_at - now())::float8 * 1000 as due_in_ms,
  coalesce(case when orders.status = 'claimed' and $13 in ('release', 'deadline') then (
    select case
      when orders.receipt_url is not null then case $13 when 'deadline' then 'receipt' else 'receipt_uploaded' end
      when not exists (select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active) then 'revoked'
      when not (exists (select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active) and (now() < orders.expires_at or exists (
      select from lp_term term
      join lp on lp.id = term.lp_id
      join lp_asset asset on asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
      where term.quoting and term.currency = orders.currency and term.method = orders.corridor_method
      and orders.amount_fiat >= term.min_fiat and orders.amount_fiat <= coalesce(term.max_fiat, orders.amount_fiat) and orders.amount_fiat <= coalesce(term.float_available, orders.amount_fiat) and lp.status = 'approved'
        and lp.id <> orders.lp_id and lp.id <> all (orders.excluded_lp_ids)
    ))
    and (orders.reoffers < 2 or failure.kind <> 'counts')) then 'not_reofferable'
    end
    from (
    select case
        when not exists (select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active) then 'excused'
        when $14::timestamptz is null then 'counts'
        when bool_or(e.cause in ('outage', 'incident', 'lost-commits')) or coalesce((select greatest(orders.deadline_set_at, stop.since) from (select least((select least(case when orders.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat), (select min(incident.opened_at) from incident
      where incident.closed_at is null and ((incident.chain = orders.crypto_chain and orders.status in ('matched', 'confirmed', 'crypto_verify_pending')
      or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method
        and orders.status in ('matched', 'claimed', 'fiat_sent')) and (incident.closing_at is null or orders.deadline_set_at < incident.closing_at)))) as since) stop
      where stop.since is not null), now()) < least(now(), orders.timeout_at) then 'excused'
        when min(e.created_at) > $14::timestamptz and has_free_release(orders.lp_id, $15::int) then 'free'
        else 'counts'
      end as kind
    from order_event e
    where e.order_id = orders.id and e.seq <= orders.version and e.seq >= (
      select max(claimed.seq) from order_event claimed
      where claimed.order_id = orders.id and claimed.from_status = 'matched' and claimed.status = 'claimed'
    )) failure
  ) end, case
    when orders.status = 'claimed' and $13 = 'dispute' and not (now() >= (
      select max(e.created_at) from order_event e
      where e.order_id = orders.id and e.seq <= orders.version and e.from_status = 'matched' and e.status = 'claimed'
    ) + least($16::bigint, orders.stage_ms[2]) * interval '1 millisecond') then 'dispute_too_early'
  end) as claim_finding,
  (select case
      when (lp.status = 'approved') is not true then 'approved'
      when (not exists (select pause.reason from pause
    where (pause.currency is null or pause.currency = orders.currency)
      and (pause.agent_key_id is null or pause.agent_key_id = orders.agent_key_id)
    union all select incident.reason from incident
    where incident.closed_at is null and (incident.chain = orders.crypto_chain or incident.currency = orders.currency and coalesce(incident.method, orders.corridor_method) = orders.corridor_method))) is not true then 'not_paused'
      when (not coalesce((select struck.cooling_until > now() from (
  select count(*)::int as strikes,
    max(created_at) + make_interval(
      secs => least($17::float8 / 1000 * power(2, least(count(*) - 1, 60)), 86400)
    ) as cooling_until
  from lp_strike where lp_id = lp.id and forgiveness_id is null and created_at > now() - interval '30 days') struck), false)) is not true then 'cooled_down'
      when (asset.lp_id is not null) is not true then 'address'
      when (term.lp_id is not null) is not true then 'corridor'
      when (orders.amount_fiat >= term.min_fiat) is not true then 'minimum'
      when (orders.amount_fiat <= coalesce(term.max_fiat, orders.amount_fiat)) is not true then 'maximum'
      when (orders.amount_fiat <= coalesce(term.float_available, orders.amount_fiat)) is not true then 'float'
      when (exists (
      select from agent_key where agent_key.id = orders.agent_key_id and agent_key.is_active
        and (agent_key.expires_at is null or agent_key.expires_at > now())
    )) is not true then 'agent_key'
      when (now() <= $18::timestamptz) is not true then 'in_time'
      when (($13 <> 'auto-claim' or exists (
      select from lp_auto_claim auto
      join lp_rate rate on rate.lp_id = auto.lp_id and rate.currency = orders.currency and rate.method = orders.corridor_method
      and orders.amount_fiat >= rate.min_fiat and orders.amount_fiat <= coalesce(rate.max_fiat, orders.amount_fiat) and orders.amount_fiat <= coalesce(rate.float_available, orders.amount_fiat)
      where auto.lp_id = lp.id and auto.enabled and orders.timeout_at > now()
        and (auto.max_amount_usd is null or orders.amount_usd <= auto.max_amount_usd)
        and (auto.currencies is null or orders.currency = any (auto.currencies))
        and (orders.amount_usd * (10000 + orders.spread_bps) * 0.0001 - auto.min_profit_usd) * rate.rate_usd
          >= orders.amount_fiat
    ))) is not true then 'auto_claim'
    end from lp
    join lp_collateral collateral on collateral.lp_id = lp.id
    left join receiving_asset asset on asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
    left join lp_term term on term.lp_id = lp.id and term.currency = orders.currency and term.method = orders.corridor_method where lp.id = $19::bigint) as claim_obstacle,
  array(
    select seq from webhook_delivery d where d.order_id = orders.id and d.lp_id is null and d.state = 'pending' order by seq
  ) as owed
from orders where id = $20;
