import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { MAX_COUNTED_ORDERS } from '../../domain/lp-ranking.ts';
import { coolingLps } from '../lps/cool-down.ts';
import { coveredOrders, RANKED_BY, ranking } from '../lps/ranking.ts';
import { comparedRates, isInDoubt, isNearReference, rateMarket, referencePrice } from '../lps/rate-market.ts';
import { requiredCollateral } from '../lps/required-collateral.ts';
import { takesAmount } from '../lps/serves-order.ts';

/** An LP's terms for a currency. */
export interface Offer {
  lp_id: number;
  rate_usd: string;
  spread_bps: number;
}

/** What to quote. `amount`: of the currency, a decimal string. */
export interface OfferRequest {
  currency: string;
  /** The method of the LPs' terms. */
  method: string;
  amount: string;
  symbol: string;
  chain: string;
}

export interface OfferSettings {
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
  /** How far above the median of the LPs a rate may be in a currency without a reference. */
  rateOutlierBps: number;
}

/** The USD amount at a rate, rounded like `quote`. */
const amountUsd = (rate: string) => `ceil($amount::numeric / ${rate} * 1000000) / 1000000`;
const AMOUNT_USD = amountUsd('rate.rate_usd');
const BPS = '$rateOutlierBps::int';

/** SQL: what the price source and the currency's LPs say now, as `reference`, `compared` and `market`. */
export const WITH_MARKET = `
  with reference as materialized (${referencePrice('$currency')}),
  compared as materialized (${comparedRates('$currency', '$method', '$strikeCoolDown')}),
  market as materialized (${rateMarket('compared', BPS)})`;

/** SQL condition: the rate is one of those that come before all others. */
export const IS_PREFERRED =
  'coalesce(rate.rate_usd between market.preferred_from and market.preferred_to, false)';

/**
 * SQL: LPs with terms for the corridor and an address for the token, whatever the order's amount. Needs `reference` and
 * `market`, with at most one row each.
 */
export const SERVING_LPS = `
  from lp_rate rate
  join lp on lp.id = rate.lp_id and lp.status = 'approved'
  join lp_collateral collateral on collateral.lp_id = lp.id
  join lp_asset asset on asset.lp_id = lp.id and asset.symbol = $symbol and asset.chain = $chain
  left join reference on true
  left join market on true
  ${RANKED_BY}
  where rate.currency = $currency and rate.method = $method and lp.id not in (${coolingLps('$strikeCoolDown')})`;

/**
 * SQL condition: the rate is not too good to be true. Only one of three rules applies: the price source's price, if there is
 * one now, whenever the rate was published; or else the rates of the currency's other LPs; or, with too few of them, `unjudged`.
 */
export const isPlausible = (unjudged: string): string => `case
      when reference.per_usd is not null then ${isNearReference('rate.rate_usd', 'reference')}
      when market.highest_rate is not null then rate.rate_usd <= market.highest_rate
      else ${unjudged}
    end`;

/** SQL: the LPs that could claim the order and whose rates are plausible. */
const offers = (unjudged: string): string => `
  ${SERVING_LPS}
    and ${takesAmount('rate', '$amount::numeric')}
    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}
    and ${isPlausible(unjudged)}`;
const BY_RANK = `order by ${ranking(AMOUNT_USD, IS_PREFERRED)}`;

/** With too few LPs to compare rates, collateral decides. */
const BEST_OFFER = statement(
  'best-offer',
  `
  ${WITH_MARKET}
  select lp.id as lp_id, rate.rate_usd, lp.spread_bps, count(*) over ()::int as of
  ${offers(`not ${isInDoubt('compared', BPS, amountUsd)}`)}
  ${BY_RANK}
  limit 1`,
);

/**
 * The offer to quote, among the LPs that could claim this order now. Such an LP is approved and not cooling down. Its
 * terms for the corridor hold now and take the amount. It has an address for the token and enough free collateral.
 * `ranking` sorts them, the cheapest for the payer first. `of`: how many they are.
 */
export async function bestOffer(
  db: Database,
  request: OfferRequest,
  { strikeCoolDown, rateOutlierBps }: OfferSettings,
): Promise<(Offer & { of: number }) | undefined> {
  const given = { ...request, strikeCoolDown, rateOutlierBps };
  const [offer] = await run<Offer & { of: number }>(db, BEST_OFFER, given);
  return offer;
}

/** The rates of a currency without a reference, as `rateMarket` judges them. Null: it has a reference. */
export interface JudgedRates {
  highest_rate: string | null;
  preferred_from: string | null;
  preferred_to: string | null;
}

const BEST_OFFER_AMONG = statement(
  'best-offer-among',
  `
  with reference as materialized (${referencePrice('$currency')}),
  market as (
    select $highest_rate::numeric as highest_rate, $preferred_from::numeric as preferred_from,
      $preferred_to::numeric as preferred_to
  )
  select lp.id as lp_id, rate.rate_usd, lp.spread_bps, ${coveredOrders(AMOUNT_USD)} = ${MAX_COUNTED_ORDERS} as covers_most
  ${offers('false')} and lp.id = any ($lps::bigint[])
  ${BY_RANK}
  limit 1`,
);

/**
 * `bestOffer` among the given LPs only, with rates of their currency that were judged shortly before. `covers_most`: no LP's
 * collateral counts for more in the ranking.
 */
export async function bestOfferAmong(
  db: Database,
  request: OfferRequest,
  { strikeCoolDown }: Pick<OfferSettings, 'strikeCoolDown'>,
  { highest_rate, preferred_from, preferred_to }: JudgedRates,
  lps: number[],
): Promise<(Offer & { covers_most: boolean }) | undefined> {
  const given = { ...request, strikeCoolDown, highest_rate, preferred_from, preferred_to, lps };
  const [offer] = await run<Offer & { covers_most: boolean }>(db, BEST_OFFER_AMONG, given);
  return offer;
}
