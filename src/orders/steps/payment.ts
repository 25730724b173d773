import { normalisedHash } from '../order-state-row.ts';
import { freeTransactions, IS_INVALID, IS_VERIFIED } from './shared/chain-transaction.ts';
import { reasonSql } from './shared/reason-sql.ts';
import { expectTrigger, type Steps } from './shared/step.ts';

/** From the transaction that the agent names to the chain's verdict on it. */
export const PAYMENT_STEPS = {
  /** The agent names the transaction that pays the LP. A named transaction is not reserved: `record-verdict.ts` does that. */
  settle: {
    set: { user_crypto_tx_hash: '$txHashGiven' },
    parameters: (command) => ({ txHashGiven: expectTrigger(command, 'settle').txHashGiven }),
  },

  /**
   * The agent replaces a mistyped transaction that the last check has not found on its chain. The step locks and ends
   * that verdict. If a check finds the transaction at the same moment, one of two things happens. Either the check comes
   * first, and the step is refused. Or the check comes too late, and records and reserves nothing.
   */
  replaceTransaction: {
    reason: reasonSql('transaction_replaced', { tx_hash: 'orders.user_crypto_tx_hash' }),
    set: {
      user_crypto_tx_hash: '$txHashGiven',
      replacements: 'orders.replacements + 1',
    },
    from: `(
    select order_id from payment_verdict
    where order_id = $orderId and version = $version and kind = 'not_found'
    for update
  ) missing`,
    where: ['missing.order_id = orders.id'],
    unmet: 'not_replaceable',
    effects: [
      `replaced as (
  update payment_verdict verdict set kind = 'replaced' from after
  where verdict.order_id = after.id and verdict.version = $version
)`,
    ],
    parameters: (command) => ({ txHashGiven: expectTrigger(command, 'settle').txHashGiven }),
  },

  /**
   * The chain has verified the payment: the LP gets its collateral back and pays the platform's fee from it. The command
   * alone proves nothing, because anyone who reaches Temporal can send it. The recorded verdict does.
   */
  complete: {
    set: { completed_at: 'now()' },
    where: [IS_VERIFIED],
    unmet: 'no_verdict',
    posting: { amounts: { release: 'after.collateral_locked', fee: 'after.fee_usd' } },
  },

  /**
   * The transaction is not the payment, or it has paid something else, and the agent may name another. The order keeps no
   * reservation. An earlier check can have made one if the chain's node contradicts itself.
   */
  rejectTransaction: {
    set: {
      rejections: 'orders.rejections + 1',
      user_crypto_tx_hash: 'null',
      rejected_tx_hashes: `array_append(orders.rejected_tx_hashes, ${normalisedHash('orders.user_crypto_tx_hash')}::varchar)`,
    },
    where: [IS_INVALID],
    unmet: 'no_verdict',
    effects: [freeTransactions()],
  },

  /** An admin restarts the verification, with the order's transaction or with another one. */
  retryVerification: {
    set: { user_crypto_tx_hash: '$txHashGiven' },
    effects: [freeTransactions('t.tx_hash <> $txHash::varchar')],
    parameters: (command) => {
      const { txHash, txHashGiven } = expectTrigger(command, 'retryVerification');
      return { txHash, txHashGiven };
    },
    hasRequestNote: true,
  },
} satisfies Steps;
