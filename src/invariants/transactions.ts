import type { Checks } from './breach.ts';

/** As `normaliseTxHash` writes it. */
const normalised = (column: string) => `regexp_replace(lower(${column}), '^0x', '')`;

/** One transaction pays one order. */
export const TRANSACTIONS: Checks = {
  'a transaction settles one order': `
    select crypto_chain || ' ' || hash as "where", 'one order' as expected,
      'orders ' || string_agg(id::text, ', ' order by id) as found
    from (
      select o.id, o.crypto_chain, ${normalised('o.user_crypto_tx_hash')} as hash from orders o
      where exists (select from order_event e where e.order_id = o.id and e.cause = 'verified')
    ) settled
    group by crypto_chain, hash having count(*) > 1`,
  'an order that is settled, or about to be, holds its transaction': `
    select 'order ' || o.id as "where", o.crypto_chain || ' ' || coalesce(${normalised('o.user_crypto_tx_hash')}, 'a hash') as expected,
      coalesce(string_agg(t.chain || ' ' || t.tx_hash, ', '), 'none') as found
    from orders o left join chain_transaction t on t.order_id = o.id
    where o.status = 'crypto_verify_pending'
      or exists (select from order_event e where e.order_id = o.id and e.cause = 'verified')
    group by o.id
    having count(*) <> 1 or not coalesce(bool_and(t.chain = o.crypto_chain and t.tx_hash = ${normalised('o.user_crypto_tx_hash')}), false)`,
  'a transaction is for one thing': `
    select chain || ' ' || tx_hash as "where", 'an order or a deposit' as expected,
      concat_ws(' and ', 'order ' || order_id, 'deposit ' || deposit_id) as found
    from chain_transaction where num_nonnulls(order_id, deposit_id) <> 1`,
};
