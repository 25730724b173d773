import { normalisedHash } from '../../order-state-row.ts';

/** Whether the verdict on the order's present transaction (`verdict`, with its reservation `t`) meets a condition. */
const verdictIs = (condition: string) => `exists (
      select from payment_verdict verdict
      left join chain_transaction t
        on t.chain = verdict.chain and t.tx_hash = verdict.tx_hash and t.order_id = verdict.order_id
      where verdict.order_id = orders.id and verdict.version = orders.version
        and verdict.chain = orders.crypto_chain
        and verdict.tx_hash = ${normalisedHash('orders.user_crypto_tx_hash')}
        and ${condition}
    )`;

/** The chain has verified the order's present transaction, which is reserved for the order. */
export const IS_VERIFIED = verdictIs(`verdict.kind = 'verified' and t.order_id is not null`);

/** The order's present transaction is not its payment, or it has paid something else before. */
export const IS_INVALID = verdictIs(
  `(verdict.kind = 'invalid' or (verdict.kind = 'verified' and t.order_id is null))`,
);

/** CTE: reserves a transaction for the order, unless the hash is null or the order has it already. `txHash`: normalised. */
export const reserveTransactionOnce = (txHash: string) => `reserved as (
  insert into chain_transaction (chain, tx_hash, order_id)
  select after.crypto_chain, ${txHash}, after.id from after
  where ${txHash} is not null
    and not exists (select from chain_transaction t where t.order_id = after.id and t.tx_hash = ${txHash})
)`;

/** CTE: lets other orders use the transactions that the order had reserved, where `condition` holds. */
export const freeTransactions = (condition?: string) => `freed as (
  delete from chain_transaction t using after
  where t.order_id = after.id${condition ? ` and ${condition}` : ''}
)`;
