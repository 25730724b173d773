import { collateralSlice } from './collateral.ts';
import { decimal } from './money.ts';
import { estimatedProfit, type OrderTerms } from './offer-view.ts';

/** An order and an LP whose auto-claim covers it, but for what must be computed. */
export interface AutoClaimPair extends OrderTerms {
  lp_id: number;
  tier: number;
  /** The LP's own rate for the order's currency. */
  rate_usd: string | null;
  /** The LP's free collateral, USD. */
  available: string;
  min_profit_usd: string;
}

/** A claim to be made for an LP. */
export interface AutoClaim {
  lpId: number;
  /** USD to lock, decimal string. */
  collateral: string;
}

/** The claim to make, or undefined where the LP would earn too little or has too little collateral. */
export function autoClaim(pair: AutoClaimPair): AutoClaim | undefined {
  const collateral = collateralSlice(pair.amount_usd, pair.tier);
  const worthIt = estimatedProfit(pair, pair.rate_usd).gte(pair.min_profit_usd);
  if (!worthIt || decimal(pair.available).lt(collateral)) return undefined;
  return { lpId: pair.lp_id, collateral };
}
