-- $1: requestIds
-- $2: results
-- $3: orderId
-- $4: version
-- $5: from
-- $6: ofLp
-- $7: excludedLps
-- $8: reoffers
-- $9: rejections
-- $10: replacements
-- $11: frozenMs
-- $12: slashed
-- $13: rejectedHashes
-- $14: currentHash

with answer as (
  insert into order_outcome (request_id, order_id, result, status)
  select given.request_id, orders.id, given.result, orders.status
  from orders, unnest($1::uuid[], $2::varchar[]) as given (request_id, result)
  where orders.id = $3 and orders.version = $4 and orders.status = $5
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($6::bigint, $7::bigint[], $8::int, $9::int, $10::int,
      $11::bigint, $12::numeric, $13::varchar[], $14::varchar)
  on conflict (request_id) do nothing
)
select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  (orders.version = $4 and orders.status = $5
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      regexp_replace(lower(trim(orders.user_crypto_tx_hash)), '^0x', ''))
    is not distinct from ($6::bigint, $7::bigint[], $8::int, $9::int, $10::int,
      $11::bigint, $12::numeric, $13::varchar[], $14::varchar)) as is_state,
  array(
    select seq from webhook_delivery d where d.order_id = orders.id and d.lp_id is null and d.state = 'pending' order by seq
  ) as owed
from orders where id = $3;
