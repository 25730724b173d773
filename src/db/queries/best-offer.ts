import { TIER_MULTIPLIERS } from '../../domain/collateral.ts';
import type { Database } from '../orm.ts';

/** An LP's terms for a currency. */
export interface Offer {
  lp_id: number;
  rate_usd: string;
  spread_bps: number;
}

const BEST_OFFER = `
  select lp.id as lp_id, rate.rate_usd, lp.spread_bps
  from lp_rate rate
  join lp on lp.id = rate.lp_id and lp.status = 'approved'
  join lp_collateral collateral on collateral.lp_id = lp.id
  left join lp_asset asset on asset.lp_id = lp.id and asset.symbol = $2 and asset.chain = $3
  where rate.currency = $1
  order by
    asset.lp_id is null,
    collateral.available < $4::numeric / rate.rate_usd * ($5::numeric[])[lp.tier + 1],
    (10000 + lp.spread_bps) / rate.rate_usd,
    collateral.available desc,
    lp.id
  limit 1`;

/**
 * The offer to quote: first of the LPs that could claim the order, who take its token and have the collateral for it;
 * among those the cheapest for the payer, then the one with the most free collateral.
 */
export async function bestOffer(
  db: Database,
  payout: { currency: string; amount: string },
  token: { symbol: string; chain: string },
): Promise<Offer | undefined> {
  const rows = await db.query<Offer>('best-offer', BEST_OFFER, [
    payout.currency,
    token.symbol,
    token.chain,
    payout.amount,
    TIER_MULTIPLIERS,
  ]);
  return rows[0];
}
