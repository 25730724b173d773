import { type Decimal, decimal } from './money.ts';

/** The rate that stands for an LP in a comparison, and the collateral with which the LP stands behind it, in USD. */
export interface BackedRate {
  /** Units of the currency for 1 USD. */
  rate: string;
  collateral: string;
}

/** With fewer LPs that have collateral, no rate is an outlier: either of two rates may be the wrong one. */
export const MIN_LPS_TO_COMPARE = 3;

/**
 * Completed orders among an LP's last outcomes that make a record. Of two LPs whose rates cannot both be right, the one with
 * a longer record is quoted. Fewer orders are no record: a stranger can complete a few small ones.
 */
export const MIN_RECORD = 10;

/** What the rates of a currency's LPs say about a rate, in a currency without a reference. */
export interface RateMarket {
  /** Rates above this one are not quoted. */
  highest: Decimal;
  /** Rates from `from` to `to` are quoted before all others. */
  preferred: { from: Decimal; to: Decimal };
}

/**
 * Compares the rates of LPs, one for each LP, weighted by collateral. Undefined if too few LPs have collateral.
 *
 * The highest rate is `bps` above the median. LPs that together hold less than half of the collateral cannot move the median
 * past the rates of the others, however many they are: neither up, which would make their rates plausible, nor down, which
 * would exclude a better LP. So an LP's own collateral counts as well: otherwise two LPs with a dollar each could exclude the
 * only LP with more.
 *
 * Such LPs can move the median to the best or the worst rate of the others. Preferred are the rates that are plausible
 * wherever they moved it: up to `bps` above the lower quartile, which they cannot lift above the median of the others, or up
 * to the median, if that is more. So while some LP with a preferred rate can take the order, the quote is at most `bps` above
 * the median of the LPs that hold more than half of the collateral, or the rate of one of these. A rate more than `bps` below
 * the median is not preferred: LPs that ask for too much must not rank before better ones.
 *
 * `src/market/lps/rate-market.ts` computes the same in SQL.
 */
export function rateMarket(rates: readonly BackedRate[], bps: number): RateMarket | undefined {
  const backed = rates
    .map(({ rate, collateral }) => ({ rate: decimal(rate), collateral: decimal(collateral) }))
    .filter(({ collateral }) => collateral.gt(0))
    .sort((a, b) => a.rate.cmp(b.rate));
  if (backed.length < MIN_LPS_TO_COMPARE) return undefined;
  const total = backed.reduce((sum, { collateral }) => sum.add(collateral), decimal(0));
  const [median, quartile] = [quantile(backed, total.div(2)), quantile(backed, total.div(4))];
  const above = (rate: Decimal) => rate.mul(10_000 + bps).div(10_000);
  const from = median.mul(10_000).div(10_000 + bps);
  const to = above(quartile).gt(median) ? above(quartile) : median;
  return { highest: above(median), preferred: { from, to } };
}

/** The lowest of the sorted rates with which the collateral up to it reaches `wanted`, which is at most all of it. */
function quantile(backed: readonly { rate: Decimal; collateral: Decimal }[], wanted: Decimal): Decimal {
  let [upTo, reached] = [decimal(0), decimal(0)];
  for (const { rate, collateral } of backed) {
    if (upTo.gte(wanted)) break;
    upTo = upTo.add(collateral);
    reached = rate;
  }
  return reached;
}
