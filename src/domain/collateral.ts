import { decimal, roundUp, SCALE, toPlain } from './money.ts';

/** The share of an order's USD value that an LP of each tier locks. A new LP starts in tier 0. */
export const TIER_MULTIPLIERS = ['1.00', '0.75', '0.50', '0.25', '0.15'] as const;

/** The highest platform fee, in basis points, that the smallest collateral of an order covers on completion. */
export const MAX_FEE_BPS = 1_500;

/** USD to lock for an order: tier multiplier × amount_usd, rounded up to cents. Contract: `collateral_locked`. */
export function collateralForOrder(amountUsd: string, tier: number): string {
  const multiplier = TIER_MULTIPLIERS[tier];
  if (multiplier === undefined) throw new RangeError(`There is no LP tier ${tier}`);
  return toPlain(roundUp(decimal(amountUsd).mul(multiplier), SCALE.cents), SCALE.cents);
}
