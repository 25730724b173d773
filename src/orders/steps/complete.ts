import { IS_VERIFIED } from './shared/chain-transaction.ts';
import type { Step } from './shared/step.ts';

/**
 * The chain has verified the payment: the LP gets its collateral back and pays the platform's fee from it. The command
 * alone proves nothing, because anyone who reaches Temporal can send it. The recorded verdict does.
 */
export const complete: Step = {
  set: { completed_at: 'now()' },
  where: [IS_VERIFIED],
  unmet: 'no_verdict',
  posting: { amounts: { release: 'after.collateral_locked', fee: 'after.fee_usd' } },
};
