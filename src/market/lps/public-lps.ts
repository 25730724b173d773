import type { Database } from '../../db/orm.ts';
import type { Chain } from '../../domain/assets.ts';

export interface PublicLp {
  id: number;
  display_name: string;
  tier: number;
  spread_bps: number;
  /** The rates that hold now. `method`: `ANY_METHOD` in a currency without corridors. */
  rates: { currency: string; method: string; rate_usd: string }[];
  assets: { symbol: string; chain: Chain }[];
}

/** Rates are text: JavaScript would read a JSON number as a float. */
const LISTED = `
  select lp.id, lp.display_name, lp.tier, lp.spread_bps,
    (
      select coalesce(json_agg(json_build_object('currency', currency, 'method', method, 'rate_usd', rate_usd::text) order by currency, method), '[]')
      from lp_rate where lp_id = lp.id
    ) as rates,
    (
      select coalesce(json_agg(json_build_object('symbol', symbol, 'chain', chain) order by symbol, chain), '[]')
      from lp_asset where lp_id = lp.id
    ) as assets
  from lp where status = 'approved' order by lp.id`;

/** The approved LPs, with their public properties. */
export const publicLps = (db: Database): Promise<PublicLp[]> => db.query<PublicLp>('public-lps', LISTED, []);
