import type { Database } from '../../db/orm.ts';

/** An LP's terms for a corridor. Amounts are decimal strings in the currency. */
export interface Terms {
  lp_id: number;
  currency: string;
  /** `ANY_METHOD` in a currency without corridors. */
  method: string;
  /** Units for 1 USD. Null: the rate is an offset from a reference price that is unknown now. */
  rate_usd: string | null;
  offset_bps: number | null;
  /** A time. */
  valid_until: string;
  /** The rate has a value and has not expired. */
  is_fresh: boolean;
  min_fiat: string;
  max_fiat: string | null;
  float_available: string | null;
  float_reserved: string;
  float_low: string | null;
  quoting: boolean;
  /** A time. */
  updated_at: string;
}

const TERMS = `
  select *, rate_usd is not null and valid_until > now() as is_fresh
  from priced_term
  where lp_id = any ($1::bigint[])`;
const ALL = `${TERMS} order by lp_id, currency, method`;
const NEWEST = `${TERMS} order by updated_at desc, currency, method limit $2`;

/** All terms of these LPs, by LP, currency and method. */
export const termsOf = (db: Database, lpIds: number[]): Promise<Terms[]> =>
  db.query<Terms>('lp-terms', ALL, [lpIds]);

/** The terms that the LP changed last. */
export const newestTermsOf = (db: Database, lpId: number, limit: number): Promise<Terms[]> =>
  db.query<Terms>('lp-newest-terms', NEWEST, [[lpId], limit]);
