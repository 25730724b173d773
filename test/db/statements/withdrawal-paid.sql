-- $1: txHash
-- $2: reason
-- $3: id
-- $4: normalisedHash

with withdrawal as (
  update collateral_withdrawal set status = 'paid', tx_hash = $1, reason = $2, decided_at = now()
  where id = $3 and status = 'requested' returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, withdrawal_id)
  select chain, $4::varchar, id from withdrawal where $4 is not null
),
balance as (
  update lp_collateral set
    withdrawing = lp_collateral.withdrawing - withdrawal.amount
  from withdrawal where lp_collateral.lp_id = withdrawal.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, withdrawal_id)
  select 'withdrawal/' || withdrawal.id || '/payout',
    'lp:' || withdrawal.lp_id || ':withdrawing', 'outside', withdrawal.amount, withdrawal.id
  from withdrawal where withdrawal.amount <> 0
)
select id from withdrawal;
