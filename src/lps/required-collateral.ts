import { TIER_MULTIPLIERS } from '../domain/collateral.ts';

/**
 * SQL: the collateral that an LP of this tier locks for an order, as `collateralForOrder` computes it. The parameters
 * are expressions.
 */
export const requiredCollateral = (amountUsd: string, tier: string): string =>
  `ceil(${amountUsd} * ('{${TIER_MULTIPLIERS}}'::numeric[])[${tier} + 1] * 100) / 100`;
