import { reserveTransactionOnce } from './shared/chain-transaction.ts';
import { RESOLUTION } from './shared/resolution.ts';
import { expectTrigger, type Step } from './shared/step.ts';

/**
 * The dispute ends with the order completed. The slash must leave enough of the collateral for the fee. A transaction that
 * the chain has verified for the order stays reserved for it, and so is one that the admin names as the payment. What the
 * agent named last proves nothing: it may be the payment of another order.
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
  parameters: (command) => {
    const { slashUsd, txHash } = expectTrigger(command, 'resolve');
    return { slashUsd, txHash };
  },
};
