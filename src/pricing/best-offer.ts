import type { Database } from '../db/orm.ts';
import { coolingLps } from '../lps/cool-down.ts';
import { RANKED_BY, ranking } from '../lps/ranking.ts';
import { requiredCollateral } from '../lps/required-collateral.ts';

/** An LP's terms for a currency. */
export interface Offer {
  lp_id: number;
  rate_usd: string;
  spread_bps: number;
}

/** The USD amount at each LP's own rate, rounded like `quote`. */
const AMOUNT_USD = 'ceil($4::numeric / rate.rate_usd * 1000000) / 1000000';

const BEST_OFFER = `
  select lp.id as lp_id, rate.rate_usd, lp.spread_bps
  from lp_rate rate
  join lp on lp.id = rate.lp_id and lp.status = 'approved'
  join lp_collateral collateral on collateral.lp_id = lp.id
  join lp_asset asset on asset.lp_id = lp.id and asset.symbol = $2 and asset.chain = $3
  ${RANKED_BY}
  where rate.currency = $1 and lp.id not in (${coolingLps('$5')})
    and collateral.available >= ${requiredCollateral(AMOUNT_USD, 'lp.tier')}
  order by ${ranking(AMOUNT_USD)}
  limit 1`;

/**
 * The offer to quote, among the LPs that could claim this order now: approved, not cooling down, with an address for its
 * token and enough free collateral. `ranking` sorts them, the cheapest for the payer first.
 * `coolDownMs`: the first cool-down after a strike.
 */
export async function bestOffer(
  db: Database,
  payout: { currency: string; amount: string },
  token: { symbol: string; chain: string },
  coolDownMs: number,
): Promise<Offer | undefined> {
  const rows = await db.query<Offer>('best-offer', BEST_OFFER, [
    payout.currency,
    token.symbol,
    token.chain,
    payout.amount,
    coolDownMs,
  ]);
  return rows[0];
}
