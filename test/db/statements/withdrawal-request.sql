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
)
select id from withdrawal;
