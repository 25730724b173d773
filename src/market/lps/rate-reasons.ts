import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { RANKED_BY, RANKS_LAST } from './ranking.ts';
import { comparedRates, doubtingRates, isNearReference, rateMarket, referencePrice } from './rate-market.ts';
import { largestCovered } from './required-collateral.ts';

/** Why payments do not use an LP's rate that holds, or not always. Null: for no such reason. */
export interface RateReasons {
  currency: string;
  method: string;
  /** The price source's price, from which the rate differs too much. */
  reference: string | null;
  /** The highest rate that is quoted, and is below this one. */
  highest_rate: string | null;
  /** Larger orders are quoted from the only other LP of the currency, whose rate is far below this one. */
  largest_order: string | null;
  /** The highest rate at which they would not be. */
  undoubted_rate: string | null;
  /** A time: until then, orders are quoted from this LP only if no other LP can take them. */
  ranks_last_until: string | null;
}

const BPS = '$rateOutlierBps::int';
const COVERED = largestCovered('collateral.available', 'lp.tier', 'other.rate_usd');

/** A doubt matters only for orders that the LP's terms take, and that the other LP's collateral covers. */
const REASONS = statement(
  'lp-rate-reasons',
  `
  select rate.currency, rate.method, off.reference,
    case when rate.rate_usd > judged.highest_rate then trim_scale(trunc(judged.highest_rate, 8)) end as highest_rate,
    trim_scale(judged.largest_order) as largest_order, trim_scale(trunc(judged.undoubted_rate, 8)) as undoubted_rate,
    case when ${RANKS_LAST} then record.ranks_last_until end as ranks_last_until
  from lp_rate rate
  join lp on lp.id = rate.lp_id
  join lp_collateral collateral on collateral.lp_id = lp.id
  ${RANKED_BY}
  left join lateral (
    select trim_scale(per_usd) as reference from (${referencePrice('rate.currency')}) known
    where not ${isNearReference('rate.rate_usd', 'known')}
  ) off on true
  cross join lateral (
    with compared as materialized (${comparedRates('rate.currency', 'rate.method', '$strikeCoolDown')}),
    market as (${rateMarket('compared', BPS)})
    select market.highest_rate, doubt.largest_order, doubt.undoubted_rate
    from (select) always
    left join market on true
    left join lateral (
      select ${COVERED} as largest_order, other.rate_usd * (10000 + ${BPS}) / 10000 as undoubted_rate
      from ${doubtingRates('compared', BPS)}
        and market.highest_rate is null and ${COVERED}
          < least(${largestCovered('other.backing', 'other.tier', 'other.rate_usd')}, rate.max_fiat, rate.float_available)
    ) doubt on true
  ) judged
  where rate.lp_id = $lpId and rate.currency = any ($currencies)`,
);

/**
 * The LP's rates that hold now in the currencies, with the reasons why payments do not use them.
 */
export const rateReasons = (
  db: Database,
  lpId: number,
  currencies: string[],
  { rateOutlierBps, strikeCoolDown }: { rateOutlierBps: number; strikeCoolDown: number },
): Promise<RateReasons[]> => run(db, REASONS, { lpId, currencies, rateOutlierBps, strikeCoolDown });
