import { expectTrigger, type Step } from './shared/step.ts';

/** The agent names the transaction that pays the LP. A named transaction is not reserved: `record-verdict.ts` does that. */
export const settle: Step = {
  set: { user_crypto_tx_hash: '$txHashGiven' },
  parameters: (command) => ({ txHashGiven: expectTrigger(command, 'settle').txHashGiven }),
};
