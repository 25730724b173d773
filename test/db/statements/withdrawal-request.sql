-- $1: lpId
-- $2: amount
-- $3: asset
-- $4: chain
-- $5: address
-- $6: idempotencyKey

with withdrawal as (
  insert into collateral_withdrawal (lp_id, amount, asset, chain, address, idempotency_key)
  values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing returning *
),
balance as (
  update lp_collateral set
    available = lp_collateral.available - withdrawal.amount,
    withdrawing = lp_collateral.withdrawing + withdrawal.amount
  from withdrawal where lp_collateral.lp_id = withdrawal.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, withdrawal_id)
  select 'withdrawal/' || withdrawal.id || '/request',
    'lp:' || withdrawal.lp_id || ':available', 'lp:' || withdrawal.lp_id || ':withdrawing', withdrawal.amount, withdrawal.id
  from withdrawal where withdrawal.amount <> 0
),
warned as (
    insert into webhook_delivery (lp_id, lp_event, url, body)
    select distinct hook.lp_id, 'lp.withdrawal_requested', hook.url, json_build_object('type', 'lp.withdrawal_requested', 'timestamp', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', json_build_object('id', withdrawal.id, 'amount', withdrawal.amount, 'asset', withdrawal.asset,
        'chain', withdrawal.chain, 'address', withdrawal.address))::text
    from warned_webhook hook join withdrawal on withdrawal.lp_id = hook.lp_id
    where 'lp.withdrawal_requested' = any(hook.events)
  )
select id from withdrawal;
