-- $1: requestIds
-- $2: results
-- $3: orderId
-- $4: version
-- $5: from

with answer as (
  insert into order_outcome (request_id, order_id, result, status)
  select given.request_id, o.id, given.result, o.status
  from orders o, unnest($1::uuid[], $2::varchar[]) as given (request_id, result)
  where o.id = $3 and o.version = $4 and o.status = $5
  on conflict (request_id) do nothing
)
select version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes,
  array(
    select seq from webhook_delivery d where d.order_id = orders.id and d.state = 'pending' order by seq
  ) as owed
from orders where id = $3;
