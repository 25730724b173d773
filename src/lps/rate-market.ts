import type { Database } from '../db/orm.ts';
import { MIN_LPS_TO_COMPARE } from '../domain/rate-outlier.ts';
import { coolingLps } from './cool-down.ts';

/**
 * SQL for at most one row about a corridor: `highest_rate`, as `highestQuotedRate` computes it from the approved LPs
 * that are not cooling down. No row if too few of them have collateral. The parameters are expressions; `bps` may be
 * null: no row.
 */
export const rateMarket = (currency: string, method: string, bps: string, coolDownMs: string): string => `
    select rate_usd * (10000 + ${bps}) / 10000 as highest_rate
    from (
      select rate.rate_usd, sum(backing.usd) over (order by rate.rate_usd) as up_to, sum(backing.usd) over () as total,
        count(*) over () as lps
      from lp_rate rate
      join lp on lp.id = rate.lp_id and lp.status = 'approved'
      join lp_collateral collateral on collateral.lp_id = lp.id
      cross join lateral (select collateral.available + collateral.locked as usd) backing
      where rate.currency = ${currency} and rate.method = ${method} and backing.usd > 0 and lp.id not in (${coolingLps(coolDownMs)})
    ) backed
    where up_to * 2 >= total and lps >= ${MIN_LPS_TO_COMPARE} and ${bps} is not null
    order by rate_usd
    limit 1`;

/** A rate of an LP that Corridor does not quote, because it is too far above those of the other LPs. */
export interface OutlierRate {
  currency: string;
  method: string;
  highest_rate: string;
}

const OUTLIERS = `
  select own.currency, own.method, trim_scale(trunc(market.highest_rate, 8)) as highest_rate
  from lp_rate own
  cross join lateral (${rateMarket('own.currency', 'own.method', '$3::int', '$2')}) market
  where own.lp_id = $1 and own.currency = any ($4) and own.rate_usd > market.highest_rate`;

/** The LP's outlier rates in these currencies. `coolDownMs`: the first cool-down after a strike. */
export const outlierRates = (
  db: Database,
  lpId: number,
  currencies: string[],
  { rateOutlierBps, strikeCoolDown }: { rateOutlierBps: number; strikeCoolDown: number },
): Promise<OutlierRate[]> =>
  db.query<OutlierRate>('lp-rate-outliers', OUTLIERS, [lpId, strikeCoolDown, rateOutlierBps, currencies]);
