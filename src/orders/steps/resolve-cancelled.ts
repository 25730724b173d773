import { freeTransactions } from './shared/chain-transaction.ts';
import { RESOLUTION } from './shared/resolution.ts';
import type { Step } from './shared/step.ts';

/** The dispute ends with the order cancelled. The transaction that was reserved for the order becomes free to pay another. */
export const resolveCancelled: Step = {
  ...RESOLUTION,
  set: { cancelled_at: 'now()', slashed_usd: '$slashUsd' },
  where: ['$slashUsd::numeric <= orders.collateral_locked'],
  posting: {
    amounts: { slash: 'after.slashed_usd', release: 'after.collateral_locked - after.slashed_usd' },
  },
  effects: [freeTransactions()],
};
