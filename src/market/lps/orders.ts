import type { Database } from '../../db/orm.ts';
import type { PageQuery } from '../../db/pages.ts';
import type { OfferRow, OwnOrderRow } from '../../domain/offer-view.ts';
import type { OrderStatus } from '../../domain/order-state.ts';
import { isOfCorridor, isOfferedUnder } from './serves-order.ts';

/** The LP's own rate for the order, if it holds now. */
interface OwnRate {
  own_rate: string | null;
}

const OWN_RATE = `left join lp_rate own on own.lp_id = $1 and ${isOfCorridor('own', 'o')}`;

/** The columns of `OfferRow`. The view masks the recipient. */
const OFFER_COLUMNS: (keyof OfferRow)[] = [
  'id',
  'status',
  'amount_fiat',
  'currency',
  'amount_usd',
  'spread_bps',
  'crypto_symbol',
  'crypto_chain',
  'amount_crypto',
  'method',
  'institution',
  'recipient',
  'expires_at',
  'timeout_at',
  'created_at',
];

const OPEN = `
  select ${OFFER_COLUMNS.map((column) => `o.${column}`).join(', ')}, own.rate_usd as own_rate
  from orders o ${OWN_RATE}
  where o.status = 'matched' and o.frozen_ms is null and not $1 = any(o.excluded_lp_ids)
    and (
      exists (select from lp_asset a where a.lp_id = $1 and a.symbol = o.crypto_symbol and a.chain = o.crypto_chain)
      or not exists (select from lp_asset a where a.lp_id = $1)
    )
    and exists (select from lp_term term where term.lp_id = $1 and ${isOfferedUnder('term', 'o')})
  order by o.id desc
  limit $2`;

/**
 * The newest open orders that an LP could claim: those that its terms take, in its tokens; in all tokens if it has
 * registered none.
 */
export const openOrdersFor = (db: Database, lpId: number, limit: number) =>
  db.query<OfferRow & OwnRate>('lp-open-orders', OPEN, [lpId, limit]);

/** The rows of one page, of one status if `$4` names one. */
const OF_PAGE = `id < coalesce($3::bigint, ${Number.MAX_SAFE_INTEGER}) and status = coalesce($4::varchar, status)
      order by id desc limit $2`;

/**
 * An unclaimed order names its quoted LP, which has no locked collateral and does not own the order. An LP that has released a
 * revoked agent's order still owns it and is excluded too, so the second part leaves that order out.
 */
const MINE = `
  select *
  from (
    (
      select * from orders where lp_id = $1 and collateral_locked is not null and ${OF_PAGE}
    ) union all (
      select * from orders
      where excluded_lp_ids <> '{}' and excluded_lp_ids @> array[$1]::bigint[]
        and (lp_id is distinct from $1 or collateral_locked is null) and ${OF_PAGE}
    )
  ) o
  order by o.id desc
  limit $2`;

/** A page of the orders that an LP owns or had a failed claim of, newest first, and one row more if another page follows. */
export const ordersOfLp = (
  db: Database,
  lpId: number,
  { cursor, limit, status }: PageQuery & { status?: OrderStatus | undefined },
) =>
  db.query<OwnOrderRow & Record<string, unknown>>('lp-own-orders', MINE, [lpId, limit + 1, cursor, status]);

/** The orders that wait for the LP's fiat come first, then those that are due next. Written like the predicate of `orders_live`. */
const UNSETTLED = `
  select * from orders
  where lp_id = $1 and collateral_locked is not null and status not in ('completed', 'cancelled')
  order by status <> 'claimed', timeout_at, id
  limit $2`;

/**
 * The orders of an LP that it has to see first, newest first. Half of them are its newest. The rest are those that have not ended,
 * and then further new ones. So an LP sees each claim that it makes, and also an order that waits for its fiat, at the latest once
 * it has sent that of those which are due earlier.
 */
export async function currentOrdersOf(db: Database, lpId: number, limit: number): Promise<OwnOrderRow[]> {
  const [unsettled, newest] = await Promise.all([
    db.query<OwnOrderRow & Record<string, unknown>>('lp-unsettled-orders', UNSETTLED, [lpId, limit]),
    ordersOfLp(db, lpId, { limit }),
  ]);
  const inOrder = [...newest.slice(0, limit / 2), ...unsettled, ...newest];
  const byId = new Map(inOrder.map((order) => [order.id, order]));
  return [...byId.values()].slice(0, limit).sort((a, b) => b.id - a.id);
}
