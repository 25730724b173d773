import { TIER_MULTIPLIERS } from '../../domain/collateral.ts';

/**
 * SQL: the collateral that an LP of this tier locks for an order, as `collateralForOrder` computes it. The parameters
 * are expressions.
 */
export const requiredCollateral = (amountUsd: string, tier: string): string =>
  `ceil(${amountUsd} * ('{${TIER_MULTIPLIERS}}'::numeric[])[${tier} + 1] * 100) / 100`;

/** SQL: the largest order, in the currency and at this rate, for which collateral of `usd` is enough. */
export const largestCovered = (usd: string, tier: string, rate: string): string =>
  `trunc(trunc(trunc(${usd}, 2) / ('{${TIER_MULTIPLIERS}}'::numeric[])[${tier} + 1], 6) * ${rate}, 2)`;
