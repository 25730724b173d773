import { collateralForOrder } from './collateral.ts';
import { decimal } from './money.ts';
import { estimatedProfit, type OrderTerms } from './offer-view.ts';

/**
 * An order and an LP whose auto-claim settings match it. `autoClaim` still has to check the profit and the collateral.
 */
export interface AutoClaimPair extends OrderTerms {
  lp_id: number;
  tier: number;
  /** The LP's own rate for the order's currency. */
  rate_usd: string;
  /** The LP's free collateral, USD. */
  available: string;
  min_profit_usd: string;
}

/** An automatic claim for an LP. */
export interface AutoClaim {
  lpId: number;
}

/** Returns the claim to make, or undefined if the LP would earn too little or has too little collateral. */
export function autoClaim(pair: AutoClaimPair): AutoClaim | undefined {
  const collateral = collateralForOrder(pair.amount_usd, pair.tier);
  const isWorthwhile = estimatedProfit(pair, pair.rate_usd).gte(pair.min_profit_usd);
  if (!isWorthwhile || decimal(pair.available).lt(collateral)) return undefined;
  return { lpId: pair.lp_id };
}
