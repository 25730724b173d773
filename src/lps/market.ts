import type { Database } from '../db/orm.ts';

/** The facts about an LP that decide which orders it sees, and at what profit. */
export interface LpMarket {
  lpId: number;
  /** Only approved LPs see open orders. */
  approved: boolean;
  tier: number;
  /** Currency → the LP's price of a US dollar. */
  rates: Map<string, string>;
  /** `symbol chain` pairs. */
  assets: string[];
  /** Free collateral in USD, decimal string. */
  available: string;
}

const MARKET = `
  select lp.status = 'approved' as approved, lp.tier, collateral.available,
    coalesce((select jsonb_object_agg(currency, rate_usd::text) from lp_rate where lp_id = lp.id), '{}') as rates,
    array(select symbol || ' ' || chain from lp_asset where lp_id = lp.id) as assets
  from lp join lp_collateral collateral on collateral.lp_id = lp.id
  where lp.id = $1`;

interface MarketRow {
  approved: boolean;
  tier: number;
  available: string;
  rates: Record<string, string>;
  assets: string[];
}

export async function lpMarket(db: Database, lpId: number): Promise<LpMarket> {
  const [row] = await db.query<MarketRow>('lp-market', MARKET, [lpId]);
  if (!row) throw new Error(`There is no LP ${lpId}`);
  const { approved, tier, available, rates, assets } = row;
  return { lpId, approved, tier, available, assets, rates: new Map(Object.entries(rates)) };
}
