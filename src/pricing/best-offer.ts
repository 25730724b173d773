import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import { coolingLps } from '../lps/cool-down.ts';
import { RANKED_BY, ranking } from '../lps/ranking.ts';
import { comparedRates, isInDoubt, isNearReference, rateMarket, referencePrice } from '../lps/rate-market.ts';
import { requiredCollateral } from '../lps/required-collateral.ts';
import { takesAmount } from '../lps/serves-order.ts';

/** An LP's terms for a currency. */
export interface Offer {
  lp_id: number;
  rate_usd: string;
  spread_bps: number;
}

/** The USD amount at a rate, rounded like `quote`. */
const amountUsd = (rate: string) => `ceil($amount::numeric / ${rate} * 1000000) / 1000000`;
const AMOUNT_USD = amountUsd('rate.rate_usd');
const BPS = '$outlierBps::int';

/**
 * The rate is not too good to be true. Only one of the three rules applies: the price source's price, if there is one now,
 * whenever the rate was published; or else the rates of the currency's other LPs; or, with too few of them, collateral.
 */
const IS_PLAUSIBLE = `case
      when reference.per_usd is not null then ${isNearReference('rate.rate_usd', 'reference')}
      when market.highest_rate is not null then rate.rate_usd <= market.highest_rate
      else not ${isInDoubt('compared', BPS, amountUsd)}
    end`;

const IS_PREFERRED = `coalesce(rate.rate_usd between market.preferred_from and market.preferred_to, false)`;

/** The best of the LPs that could claim the order and whose rates are plausible. */
const BEST_OFFER = statement(
  'best-offer',
  `
  with reference as materialized (${referencePrice('$currency')}),
  compared as materialized (${comparedRates('$currency', '$method', '$coolDown')}),
  market as materialized (${rateMarket('compared', BPS)})
  select lp.id as lp_id, rate.rate_usd, lp.spread_bps
  from lp_rate rate
  join lp on lp.id = rate.lp_id and lp.status = 'approved'
  join lp_collateral collateral on collateral.lp_id = lp.id
  join lp_asset asset on asset.lp_id = lp.id and asset.symbol = $symbol and asset.chain = $chain
  left join reference on true
  left join market on true
  ${RANKED_BY}
  where rate.currency = $currency and rate.method = $method and ${takesAmount('rate', '$amount::numeric')}
    and lp.id not in (${coolingLps('$coolDown')})
    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}
    and ${IS_PLAUSIBLE}
  order by ${ranking(AMOUNT_USD, IS_PREFERRED)}
  limit 1`,
);

/**
 * The offer to quote, among the LPs that could claim this order now. Such an LP is approved and not cooling down. Its
 * terms for the corridor hold now and take the amount. It has an address for the token and enough free collateral.
 * `ranking` sorts them, the cheapest for the payer first.
 * `coolDown`: the first one after a strike, in ms. `outlierBps`: how far above the median of the LPs a rate may be in a
 * currency without a reference.
 */
export async function bestOffer(
  db: Database,
  payout: { currency: string; corridor_method: string; amount: string },
  token: { symbol: string; chain: string },
  coolDown: number,
  outlierBps: number,
): Promise<Offer | undefined> {
  const { currency, corridor_method: method, amount } = payout;
  const { symbol, chain } = token;
  const given = { currency, method, amount, symbol, chain, coolDown, outlierBps };
  const [offer] = await run<Offer & Record<string, unknown>>(db, BEST_OFFER, given);
  return offer;
}
