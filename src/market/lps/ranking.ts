import { INITIAL_RECORD, MAX_COUNTED_ORDERS } from '../../domain/lp-ranking.ts';
import { requiredCollateral } from './required-collateral.ts';

const { completed, failedClaims, fiatSeconds } = INITIAL_RECORD;

/** The join that the ranking needs. */
export const RANKED_BY = 'left join lp_statistics record on record.lp_id = lp.id';

/** SQL condition: the LP left most of its recent quotes, so that it ranks behind all LPs that did not. */
export const RANKS_LAST = 'coalesce(record.ranks_last_until > now(), false)';

/**
 * SQL: the first part of the ranking, which is the same for orders of any amount. Each order that was quoted from the LP and
 * expired unclaimed counts like one percent of the price.
 * `preferred`: a condition on rates that come before all others, whatever their price. `rate`: the rate that counts.
 */
export const rankingByPrice = (preferred?: string, rate = 'rate.rate_usd'): string => `
    ${RANKS_LAST},${preferred === undefined ? '' : ` ${preferred} desc,`}
    (10000 + lp.spread_bps) / ${rate} * (100 + coalesce(record.recent_unclaimed, 0))`;

/** SQL: for how many orders of this value the LP's free collateral is enough. More than `MAX_COUNTED_ORDERS` count as that. */
export const coveredOrders = (amountUsd: string): string =>
  `least(trunc(collateral.available / (${requiredCollateral(amountUsd, 'lp.tier')})), ${MAX_COUNTED_ORDERS})`;

/**
 * SQL: the last part of the ranking. Completion rates are rounded to a percent: exact rates would hardly ever tie, so the
 * speed would never count. The id breaks every tie.
 */
export const RANKING_BY_RECORD = `
    round(
      (coalesce(record.recent_completed, 0) + ${completed})::numeric
        / (coalesce(record.recent_completed, 0) + coalesce(record.recent_failed_claims, 0) + ${completed + failedClaims}),
      2
    ) desc,
    coalesce(record.median_fiat_seconds, ${fiatSeconds}),
    lp.id`;

/**
 * SQL: the order in which Corridor quotes LPs and tries their auto-claims, the best first.
 * Needs a query with `lp`, `collateral`, `rate` and `RANKED_BY`. `amountUsd`: the order's value.
 */
export const ranking = (amountUsd: string, preferred?: string, rate?: string): string =>
  `${rankingByPrice(preferred, rate)}, ${coveredOrders(amountUsd)} desc, ${RANKING_BY_RECORD}`;
