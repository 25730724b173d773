import { MAX_DEVIATION } from '../../domain/rate-check.ts';
import { MIN_LPS_TO_COMPARE, MIN_RECORD } from '../../domain/rate-outlier.ts';
import { coolingLps } from './cool-down.ts';
import { requiredCollateral } from './required-collateral.ts';

/** SQL that judges rates. The parameters are expressions. `bps`: `RATE_OUTLIER_BPS`. */

/**
 * One row with the price source's price of the currency and the rates that are near enough to it for `isOffReference`, or none
 * if the source has no usable price. The bounds are rounded like a rate that is an offset from the price, so that the largest
 * offset is within them.
 */
export const referencePrice = (currency: string): string => `
    select per_usd, round(per_usd * (1 - ${MAX_DEVIATION}), 8) as lowest, round(per_usd * (1 + ${MAX_DEVIATION}), 8) as highest
    from reference_price where currency = ${currency} and usable_until > now()`;

/** The rate is near enough to the price. `reference`: a row of `referencePrice`. */
export const isNearReference = (rate: string, reference: string): string =>
  `${rate} between ${reference}.lowest and ${reference}.highest`;

/**
 * The rates to compare: one row for each approved LP that is not cooling down, has collateral and has a rate in the currency
 * that holds now. The LP's rate for the method stands for it, or else its lowest one for another method. So a corridor with few
 * LPs of its own is compared with those of the others. No rows if the currency has a reference, so offsets need no price here.
 */
export const comparedRates = (currency: string, method: string, coolDownMs: string): string => `
    select lp.id as lp_id, lp.tier, collateral.available + collateral.locked as backing,
      coalesce(min(term.rate_usd) filter (where term.method = ${method}), min(term.rate_usd)) as rate_usd
    from lp_term term
    join lp on lp.id = term.lp_id and lp.status = 'approved'
    join lp_collateral collateral on collateral.lp_id = lp.id
    where term.currency = ${currency} and term.quoting and term.valid_until > now() and term.rate_usd is not null
      and collateral.available + collateral.locked > 0 and lp.id not in (${coolingLps(coolDownMs)})
      and not exists (${referencePrice(currency)})
    group by lp.id, collateral.lp_id`;

/** One row as the domain's `rateMarket` computes it from the rows of `comparedRates`. No row if they are too few. */
export const rateMarket = (compared: string, bps: string): string => `
    select median * (10000 + ${bps}) / 10000 as highest_rate, median * 10000 / (10000 + ${bps}) as preferred_from,
      greatest(quartile * (10000 + ${bps}) / 10000, median) as preferred_to
    from (
      select min(rate_usd) filter (where up_to * 2 >= total) as median,
        min(rate_usd) filter (where up_to * 4 >= total) as quartile
      from (
        select rate_usd, sum(backing) over (order by rate_usd) as up_to, sum(backing) over () as total from ${compared}
      ) backed
      having count(*) >= ${MIN_LPS_TO_COMPARE}
    ) middle`;

/**
 * Rows of `compared`, as `other`, whose rate makes that of the LP doubtful: the LP's rate is more than `bps` above it. Either may
 * be the wrong one, so the LP with the longer record is quoted. Needs `lp`, `rate` and `record`.
 */
export const doubtingRates = (compared: string, bps: string): string => `
      ${compared} other left join lp_statistics theirs on theirs.lp_id = other.lp_id
      where other.lp_id <> lp.id and rate.rate_usd * 10000 > other.rate_usd * (10000 + ${bps})
        and (
          coalesce(record.recent_completed, 0) < ${MIN_RECORD}
          or record.recent_completed <= coalesce(theirs.recent_completed, 0)
        )`;

/**
 * The LP's rate is doubtful, and for this order nothing speaks for it: its free collateral covers the order only at its own
 * rate, and the other LP's collateral covers it at the other rate. Needs `collateral` as well.
 */
export const isInDoubt = (
  compared: string,
  bps: string,
  amountUsd: (rate: string) => string,
): string => `exists (
      select from ${doubtingRates(compared, bps)}
        and other.backing >= ${requiredCollateral(amountUsd('other.rate_usd'), 'other.tier')}
        and collateral.available < ${requiredCollateral(amountUsd('other.rate_usd'), 'lp.tier')}
    )`;
