import { type Decimal, decimal } from './money.ts';

/** A rate that an LP publishes in a currency, and the LP's collateral in USD, which is the weight of the rate. */
export interface BackedRate {
  /** Units of the currency for 1 USD. */
  rate: string;
  collateral: string;
}

/** With fewer LPs that have collateral, no rate is an outlier: either of two rates may be the wrong one. */
export const MIN_LPS_TO_COMPARE = 3;

/**
 * The highest rate that Corridor quotes in a currency without a reference: `bps` above the median of its LPs' rates,
 * weighted by their collateral. Undefined if too few LPs have collateral. LPs that together hold less than half of the
 * collateral cannot move the median past the rates of the others, even if they are many. They can neither raise it, to
 * make their rates plausible, nor lower it, to exclude a better LP. An LP's own collateral counts too: otherwise two
 * LPs with a dollar each could exclude the only LP with more.
 *
 * `src/lps/rate-market.ts` computes the same in SQL.
 */
export function highestQuotedRate(rates: readonly BackedRate[], bps: number): Decimal | undefined {
  const backed = rates
    .map(({ rate, collateral }) => ({ rate: decimal(rate), collateral: decimal(collateral) }))
    .filter(({ collateral }) => collateral.gt(0))
    .sort((a, b) => a.rate.cmp(b.rate));
  if (backed.length < MIN_LPS_TO_COMPARE) return undefined;
  const total = backed.reduce((sum, { collateral }) => sum.add(collateral), decimal(0));
  let upTo = decimal(0);
  const median = backed.find(({ collateral }) => {
    upTo = upTo.add(collateral);
    return upTo.mul(2).gte(total);
  });
  return median?.rate.mul(10_000 + bps).div(10_000);
}
