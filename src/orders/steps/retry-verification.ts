import { freeTransactions } from './shared/chain-transaction.ts';
import { expectTrigger, type Step } from './shared/step.ts';

/** An admin restarts the verification, with the order's transaction or with another one. */
export const retryVerification: Step = {
  set: { user_crypto_tx_hash: '$txHashGiven' },
  effects: [freeTransactions('t.tx_hash <> $txHash::varchar')],
  parameters: (command) => {
    const { txHash, txHashGiven } = expectTrigger(command, 'retryVerification');
    return { txHash, txHashGiven };
  },
  hasRequestNote: true,
};
