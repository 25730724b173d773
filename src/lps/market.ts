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
  select lp.id as "lpId", lp.status = 'approved' as approved, lp.tier, collateral.available,
    coalesce((select jsonb_object_agg(currency, rate_usd::text) from lp_rate where lp_id = lp.id), '{}') as rates,
    array(select symbol || ' ' || chain from lp_asset where lp_id = lp.id) as assets
  from lp join lp_collateral collateral on collateral.lp_id = lp.id
  where lp.id = any($1::bigint[])`;

interface MarketRow {
  lpId: number;
  approved: boolean;
  tier: number;
  available: string;
  rates: Record<string, string>;
  assets: string[];
}

export async function lpMarket(db: Database, lpId: number): Promise<LpMarket> {
  const [market] = await lpMarkets(db, [lpId]);
  if (!market) throw new Error(`There is no LP ${lpId}`);
  return market;
}

/** The facts about several LPs, in any order. */
export async function lpMarkets(db: Database, lpIds: number[]): Promise<LpMarket[]> {
  const rows = await db.query<MarketRow>('lp-market', MARKET, [lpIds]);
  return rows.map(({ rates, ...row }) => ({ ...row, rates: new Map(Object.entries(rates)) }));
}
