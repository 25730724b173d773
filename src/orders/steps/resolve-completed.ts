import { reserveTransactionOnce } from './shared/chain-transaction.ts';
import { RESOLUTION } from './shared/resolution.ts';
import type { Step } from './shared/step.ts';

/**
 * The dispute ends with the order completed. The slash must leave enough of the collateral for the fee. The transaction
 * that the order names now counts as the payment, so the step reserves it.
 */
export const resolveCompleted: Step = {
  ...RESOLUTION,
  set: { completed_at: 'now()', slashed_usd: '$slashUsd' },
  where: ['$slashUsd::numeric + orders.fee_usd <= orders.collateral_locked'],
  posting: {
    amounts: {
      slash: 'after.slashed_usd',
      release: 'after.collateral_locked - after.slashed_usd',
      fee: 'after.fee_usd',
    },
  },
  effects: [reserveTransactionOnce('$txHash::varchar')],
};
