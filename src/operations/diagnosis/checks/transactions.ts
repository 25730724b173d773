import { normalisedHash } from '../../../orders/order-state-row.ts';
import type { Checks } from '../finding.ts';

/** The hash that the order names. */
const NAMED = normalisedHash('o.user_crypto_tx_hash');

/** One transaction pays one order, deposit or payout. Each live order and announced deposit has its own amount, and no payout has it. */
export const TRANSACTIONS: Checks = {
  // A transaction has one row, so it settles one order.
  'a settled order holds its transaction': `
    select 'order ' || o.id as "where", o.crypto_chain || ' ' || coalesce(${NAMED}, 'a hash') as expected,
      coalesce(string_agg(t.chain || ' ' || t.tx_hash, ', '), 'none') as found
    from orders o left join chain_transaction t on t.order_id = o.id
    where exists (select from order_event e where e.order_id = o.id and e.cause = 'verified')
    group by o.id
    having count(*) <> 1 or not coalesce(bool_and(t.chain = o.crypto_chain and t.tx_hash = ${NAMED}), false)`,
  'a transaction is for one thing': `
    select chain || ' ' || tx_hash as "where", 'an order, a deposit, a payout or a posting' as expected,
      concat_ws(' and ', 'order ' || order_id, 'deposit ' || deposit_id, 'payout ' || withdrawal_id,
        'posting ' || posting_id) as found
    from chain_transaction where num_nonnulls(order_id, deposit_id, withdrawal_id, posting_id) <> 1`,
  'a settled order has the verdict of its chain': `
    select 'order ' || e.order_id as "where", 'verified ' || ${NAMED} || ' at version ' || e.seq - 1 as expected,
      coalesce(v.kind || ' ' || v.tx_hash, 'none') as found
    from order_event e
    join orders o on o.id = e.order_id
    left join payment_verdict v on v.order_id = e.order_id and v.version = e.seq - 1
    where e.cause = 'verified'
      and (v.kind, v.chain, v.tx_hash) is distinct from ('verified', o.crypto_chain, ${NAMED})`,
  'an order reserves only transactions that were verified, or that an admin accepted': `
    select 'order ' || t.order_id as "where", 'a verdict on ' || t.tx_hash as expected, 'none' as found
    from chain_transaction t
    where t.order_id is not null
      and not exists (select from payment_verdict v
        where v.order_id = t.order_id and v.chain = t.chain and v.tx_hash = t.tx_hash and v.kind = 'verified')
      and not exists (select from order_event e
        where e.order_id = t.order_id and e.cause = 'resolve' and e.status = 'completed')`,
  'a live order has its amount for itself': `
    select 'order ' || o.id as "where", 'its amount is reserved' as expected, 'no reservation' as found
    from orders o
    where o.status not in ('completed', 'cancelled') and not exists (
      select from reserved_amount r
      where r.chain = o.crypto_chain and r.symbol = o.crypto_symbol and r.order_id = o.id
    )`,
  'an order that has ended reserves its amount for a week at most, and only if nothing paid it': `
    select 'order ' || o.id as "where", 'no reservation' as expected,
      r.amount || ' ' || r.symbol || ' until ' || coalesce(r.expires_at::text, 'the end of the order') as found
    from reserved_amount r join orders o on o.id = r.order_id
    where o.status in ('completed', 'cancelled')
      and (r.expires_at is null
        or r.expires_at > coalesce(o.completed_at, o.cancelled_at) + interval '7 days 1 second'
        or exists (select from chain_transaction t where t.order_id = o.id))`,
  'a requested withdrawal has its amount for itself': `
    select 'withdrawal ' || w.id as "where", w.amount || ' ' || w.asset || ' is reserved as ' || needed.purpose as expected,
      'no reservation' as found
    from collateral_withdrawal w, unnest('{order,deposit}'::varchar[]) as needed (purpose)
    where w.status = 'requested' and not exists (
      select from reserved_amount r
      where r.chain = w.chain and r.symbol = w.asset and r.amount = w.amount and r.purpose = needed.purpose
        and r.withdrawal_id is not null and r.expires_at is null
    )`,
  'a live announcement of a deposit has its amount for itself': `
    select 'deposit ' || d.id as "where", d.amount || ' ' || d.asset || ' is reserved' as expected,
      'no reservation' as found
    from collateral_deposit d
    where d.status = 'pending' and d.expires_at > now() and not exists (
      select from reserved_amount r
      where r.chain = d.chain and r.symbol = d.asset and r.amount = d.amount and r.deposit_id = d.id
    )`,
};
