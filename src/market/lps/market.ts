import type { Database } from '../../db/orm.ts';

/** The facts that determine which orders an LP sees, and at which profit. */
export interface LpMarket {
  lpId: number;
  /** Only approved LPs see open orders. */
  approved: boolean;
  /** Whether it has ever been approved: if not, no order was offered to it. */
  everApproved: boolean;
  tier: number;
  /** Its terms by `corridorKey`. */
  terms: Map<string, MarketTerms>;
  /** `symbol chain` pairs. */
  assets: string[];
  /** Free collateral in USD, decimal string. */
  available: string;
  /** The position in the feed before which every change of the terms is included. */
  asOf: string;
}

/** The orders that an LP takes in a corridor. Amounts are in the currency. */
export interface MarketTerms {
  /** The LP's price of a US dollar, decimal string; null: unknown. It holds until `rateUntil`. */
  rate: string | null;
  /** In milliseconds of `performance.now()`. */
  rateUntil: number;
  min: number;
  max: number | null;
  /** The fiat that the LP can send for new orders; null: not counted. */
  float: number | null;
  /** False: the LP wants no orders of the corridor now. */
  quoting: boolean;
}

/** The columns of an order that name its corridor. */
export interface InCorridor {
  currency: string;
  corridor_method: string;
}

export const corridorKey = ({ currency, corridor_method }: InCorridor): string =>
  `${currency} ${corridor_method}`;

/** The terms take an order of this amount of fiat, and the float covers it: `takesAmount` in SQL. */
export const takes = ({ min, max, float, quoting }: MarketTerms, amount: number): boolean =>
  quoting && amount >= min && amount <= (max ?? amount) && amount <= (float ?? amount);

/** The rate, if it holds now. */
export const rateNow = ({ rate, rateUntil }: MarketTerms): string | null =>
  performance.now() < rateUntil ? rate : null;

/** The LP's own rate for an order, if it holds now. */
export function rateFor({ terms }: LpMarket, order: InCorridor): string | null {
  const found = terms.get(corridorKey(order));
  return found ? rateNow(found) : null;
}

const MARKET = `
  select lp.id as "lpId", lp.status = 'approved' as approved, lp.approved_at is not null as "everApproved", lp.tier, collateral.available,
    (select feed_horizon())::text as "asOf",
    coalesce((
      select jsonb_object_agg(
        currency || ' ' || method,
        jsonb_build_object('rate', rate_usd::text, 'holdsMs', extract(epoch from rate_until - now()) * 1000,
          'min', min_fiat, 'max', max_fiat, 'float', float_available, 'quoting', quoting)
      )
      from priced_term
      where lp_id = lp.id and ($2::varchar[] is null or (lp.status = 'approved' and currency = any($2::varchar[])))
    ), '{}') as terms,
    array(select symbol || ' ' || chain from lp_asset where lp_id = lp.id) as assets
  from lp join lp_collateral collateral on collateral.lp_id = lp.id
  where lp.id = any($1::bigint[])`;

interface MarketRow extends Omit<LpMarket, 'terms'> {
  terms: Record<string, Omit<MarketTerms, 'rateUntil'> & { holdsMs: number }>;
}

export async function lpMarket(db: Database, lpId: number): Promise<LpMarket> {
  const [market] = await lpMarkets(db, [lpId]);
  if (!market) throw new Error(`There is no LP ${lpId}`);
  return market;
}

/**
 * The facts about several LPs, in any order. With `currencies`, it reads only the terms in these currencies, and only those of
 * approved LPs: that is enough to decide who is offered some orders.
 */
export async function lpMarkets(
  db: Database,
  lpIds: number[],
  currencies: string[] | null = null,
): Promise<LpMarket[]> {
  // The time of this process's monotonic clock, because the clocks of the database and of this machine may differ. It
  // is read before the query, so that no rate holds for too long.
  const asked = performance.now();
  const rows = await db.query<MarketRow & Record<string, unknown>>('lp-market', MARKET, [lpIds, currencies]);
  return rows.map(({ terms, ...row }) => ({
    ...row,
    terms: new Map(
      Object.entries(terms).map(([key, { holdsMs, ...one }]) => [
        key,
        { ...one, rateUntil: asked + holdsMs },
      ]),
    ),
  }));
}
