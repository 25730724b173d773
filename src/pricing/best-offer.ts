import type { Database } from '../db/orm.ts';
import { coolingLps } from '../lps/cool-down.ts';
import { RANKED_BY, ranking } from '../lps/ranking.ts';
import { rateMarket } from '../lps/rate-market.ts';
import { requiredCollateral } from '../lps/required-collateral.ts';
import { takesAmount } from '../lps/serves-order.ts';

/** An LP's terms for a currency. */
export interface Offer {
  lp_id: number;
  rate_usd: string;
  spread_bps: number;
}

/** The USD amount at a rate, rounded like `quote`. */
const amountUsd = (rate: string) => `ceil($4::numeric / ${rate} * 1000000) / 1000000`;
const AMOUNT_USD = amountUsd('rate.rate_usd');

/** The LPs that could claim the order, with their place in the ranking. */
const ABLE = `
  select lp.id as lp_id, lp.tier, lp.spread_bps, rate.rate_usd, collateral.available,
    row_number() over (order by ${ranking(AMOUNT_USD)}) as place, min(rate.rate_usd) over () as lowest_rate
  from lp_rate rate
  join lp on lp.id = rate.lp_id and lp.status = 'approved'
  join lp_collateral collateral on collateral.lp_id = lp.id
  join lp_asset asset on asset.lp_id = lp.id and asset.symbol = $2 and asset.chain = $3
  ${RANKED_BY}
  where rate.currency = $1 and rate.method = $7 and ${takesAmount('rate', '$4::numeric')}
    and lp.id not in (${coolingLps('$5')})
    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}`;

/**
 * Omits rates that are too good to be true. Without enough LPs to compare, an LP's collateral must cover the order at
 * the rate of every other LP that could claim it. So an LP with one dollar cannot price an order of a hundred dollars
 * at a cent.
 */
const BEST_OFFER = `
  with market as materialized (${rateMarket('$1', '$7', '$6::int', '$5')}),
  able as (${ABLE})
  select able.lp_id, able.rate_usd, able.spread_bps
  from able left join market on true
  where $6::int is null
    or case
      when market.highest_rate is not null then able.rate_usd <= market.highest_rate
      else able.available >= ${requiredCollateral(amountUsd('able.lowest_rate'), 'able.tier')}
    end
  order by able.place
  limit 1`;

/**
 * The offer to quote, among the LPs that could claim this order now. Such an LP is approved and not cooling down. Its
 * terms for the corridor hold now and take the amount. It has an address for the token and enough free collateral.
 * `ranking` sorts them, the cheapest for the payer first.
 * `coolDownMs`: the first cool-down after a strike. `outlierBps`: how far above the median of the LPs a rate may be;
 * null: any rate is plausible, because a reference has checked it.
 */
export async function bestOffer(
  db: Database,
  payout: { currency: string; corridor_method: string; amount: string },
  token: { symbol: string; chain: string },
  coolDownMs: number,
  outlierBps: number | null,
): Promise<Offer | undefined> {
  const rows = await db.query<Offer>('best-offer', BEST_OFFER, [
    payout.currency,
    token.symbol,
    token.chain,
    payout.amount,
    coolDownMs,
    outlierBps,
    payout.corridor_method,
  ]);
  return rows[0];
}
