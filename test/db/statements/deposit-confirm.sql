-- $1: txHash
-- $2: depositId
-- $3: normalisedHash

with deposit as (
  update collateral_deposit
  set status = 'confirmed', confirmed_at = now(), tx_hash = coalesce($1::varchar, tx_hash)
  where id = $2 and status = 'pending' and expires_at > now() returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, deposit_id)
  select chain, $3::varchar, id from deposit where $3 is not null
),
balance as (
  update lp_collateral set
    available = lp_collateral.available + deposit.amount
  from deposit where lp_collateral.lp_id = deposit.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, deposit_id)
  select 'deposit/' || deposit.id,
    'outside', 'lp:' || deposit.lp_id || ':available', deposit.amount, deposit.id
  from deposit where deposit.amount <> 0
),
offers_due as (
  update lp_auto_claim set offers_due_at = now() where enabled and lp_id in (select lp_id from deposit)
)
select id from deposit;
