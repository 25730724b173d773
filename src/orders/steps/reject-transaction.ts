import { normalisedHash } from '../order-state-row.ts';
import { freeTransactions, IS_INVALID } from './shared/chain-transaction.ts';
import type { Step } from './shared/step.ts';

/**
 * The transaction is not the payment, or it has paid something else, and the agent may name another. The order keeps no
 * reservation. An earlier check can have made one if the chain's node contradicts itself.
 */
export const rejectTransaction: Step = {
  set: {
    rejections: 'orders.rejections + 1',
    user_crypto_tx_hash: 'null',
    rejected_tx_hashes: `array_append(orders.rejected_tx_hashes, ${normalisedHash('orders.user_crypto_tx_hash')}::varchar)`,
  },
  where: [IS_INVALID],
  unmet: 'no_verdict',
  effects: [freeTransactions()],
};
