import type { Database } from '../../db/orm.ts';
import type { FeedPosition } from '../../domain/feed-cursor.ts';
import type { OfferRow } from '../../domain/offer-view.ts';
import type { InCorridor } from '../../market/lps/market.ts';
import { isOfferedUnder } from '../../market/lps/serves-order.ts';

/** Which open orders an LP wants to see. */
export interface OfferFilter {
  lpId: number;
  /** Empty: all. */
  currencies: string[];
  /** `symbol chain` pairs that the LP takes; empty: all. */
  assets: string[];
}

/** The start of a read: a time, or a position in the feed. */
export type OfferStart = { since: Date } | { after: FeedPosition };

export interface OpenOffers {
  offers: OpenOffer[];
  /** The start of the next read. No offer will ever be added before it. */
  next: FeedPosition;
}

/** An open order with its corridor. */
export type OpenOffer = OfferRow & InCorridor;

interface OfferRecord extends OpenOffer {
  xid: string | null;
  seq: number;
  horizon: string;
}

/** Selects the open orders that the LP's terms take, sorted by the event that last opened each order. */
const openOffers = (start: string) => `
  select horizon.xmin::text as horizon, offer.*
  from (select feed_horizon() as xmin) horizon
  left join lateral (
    select e.xid::text as xid, e.seq, o.id, o.status, o.amount_fiat, o.currency, o.amount_usd, o.crypto_symbol,
      o.crypto_chain, o.amount_crypto, o.method,
      o.corridor_method, o.institution, o.recipient, o.spread_bps, o.expires_at, o.timeout_at, o.created_at
    from orders o
    join order_event e on e.order_id = o.id and e.seq = o.version
    where o.status = 'matched' and o.frozen_ms is null and ${start} and e.xid < horizon.xmin
      and not ($1::bigint = any(o.excluded_lp_ids))
      and exists (select from lp_term term where term.lp_id = $1::bigint and ${isOfferedUnder('term', 'o')})
      and ($2::varchar[] = '{}' or o.currency = any($2::varchar[]))
      and ($3::varchar[] = '{}' or o.crypto_symbol || ' ' || o.crypto_chain = any($3::varchar[]))
    order by e.xid, e.order_id, e.seq
    limit $4
  ) offer on true
  order by offer.xid::xid8, offer.id`;

const SINCE = openOffers('e.created_at >= $5::timestamptz');
const AFTER = openOffers('(e.xid, e.order_id, e.seq) > ($5::xid8, $6::bigint, $7::int)');

export async function readOpenOffers(
  db: Database,
  { lpId, currencies, assets }: OfferFilter,
  start: OfferStart,
  limit: number,
): Promise<OpenOffers> {
  const filter = [lpId, currencies, assets, limit];
  const rows =
    'since' in start
      ? await db.query<OfferRecord>('offers-since', SINCE, [...filter, start.since.toISOString()])
      : await db.query<OfferRecord>('offers-after', AFTER, [
          ...filter,
          start.after.xid,
          start.after.orderId,
          start.after.seq,
        ]);
  const offers = rows.filter((row) => row.xid !== null);
  const last = offers.length === limit ? offers.at(-1) : undefined;
  const next = last
    ? { xid: last.xid ?? '0', orderId: last.id, seq: last.seq }
    : { xid: rows[0]?.horizon ?? '0', orderId: 0, seq: 0 };
  return { offers, next };
}
