-- $1: kind
-- $2: debit
-- $3: debitLpId
-- $4: credit
-- $5: creditLpId
-- $6: amount
-- $7: reason
-- $8: orderId
-- $9: chain
-- $10: txHash
-- $11: reference
-- $12: recordedBy
-- $13: idempotencyKey
-- $14: normalisedHash

with posting as (
  insert into admin_posting (kind, debit, debit_lp_id, credit, credit_lp_id, amount, reason, order_id,
    chain, tx_hash, reference, recorded_by, idempotency_key)
  values ($1, $2, $3, $4, $5, $6, $7, $8,
    $9, $10, $11, $12, $13)
  on conflict (idempotency_key) do nothing returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, posting_id)
  select chain, $14::varchar, id from posting where $14 is not null
),
balance as (
  update lp_collateral set
    available = lp_collateral.available + change.available,
    locked = lp_collateral.locked + change.locked,
    withdrawing = lp_collateral.withdrawing + change.withdrawing
  from (
    select lp_id,
      coalesce(sum(amount) filter (where account like 'lp:%:available'), 0) as available,
      coalesce(sum(amount) filter (where account like 'lp:%:locked'), 0) as locked,
      coalesce(sum(amount) filter (where account like 'lp:%:withdrawing'), 0) as withdrawing
    from (
      select debit_lp_id as lp_id, debit as account, -amount as amount from posting
      union all select credit_lp_id, credit, amount from posting
    ) side
    where lp_id is not null group by lp_id
  ) change
  where lp_collateral.lp_id = change.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, posting_id)
  select 'posting/' || id, debit, credit, amount, id from posting
),
offers_due as (
  update lp_auto_claim set offers_due_at = now() where enabled and lp_id in (select credit_lp_id from posting where credit_lp_id is not null)
)
select id from posting;
