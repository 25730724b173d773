import { invalidField } from '../../../domain/errors.ts';
import { cursorOf, FEED_START, parseCursor } from '../../../domain/feed-cursor.ts';
import { decimal } from '../../../domain/money.ts';
import { offerView } from '../../../domain/offer-view.ts';
import { type LpMarket, lpMarket, rateFor } from '../../../market/lps/market.ts';
import {
  type OfferFilter,
  type OfferStart,
  type OpenOffers,
  readOpenOffers,
} from '../../../notify/feed/open-offers.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { streamQuery, streamResponse } from './schemas.ts';

const DEFAULT_SINCE_MS = 60_000;
const PAGE = 100;
/** When to poll again: after some orders, after none, and if the LP cannot claim. */
const POLL_AGAIN_MS = { busy: 1_000, idle: 3_000, unable: 10_000 };

/** Contract: "orders/stream": open orders for LPs that poll. */
export const orderStreamRoutes = ({ db }: ApiDeps): Route[] => {
  return [
    route({
      method: 'get',
      path: '/api/lp/:lp_key/orders/stream',
      auth: 'lp',
      summary: 'Read the orders that opened recently',
      description:
        'Those after `cursor`, or without it since `since`, by default a minute ago. None for an LP that is not approved.',
      query: streamQuery,
      answers: { 200: streamResponse },
      refuses: [],
      handle: async ({ principal: lp, query }) => {
        const market = await lpMarket(db, lp.id);
        const filter = { lpId: lp.id, currencies: query.currencies ?? [], assets: market.assets };
        const { offers, next } = await offersTo(market, filter, startOf(query));
        const orders = offers.map((row) => offerView(row, market.tier, rateFor(market, row)));
        const unable = !market.approved || decimal(market.available).isZero();
        const poll_again_ms = unable
          ? POLL_AGAIN_MS.unable
          : orders.length > 0
            ? POLL_AGAIN_MS.busy
            : POLL_AGAIN_MS.idle;
        return { status: 200, body: { orders, count: orders.length, poll_again_ms, cursor: cursorOf(next) } };
      },
    }),
  ];

  /** The cursor of an LP that is not approved stays where it is, so that after approval the LP sees every open order. */
  async function offersTo(market: LpMarket, filter: OfferFilter, start: OfferStart): Promise<OpenOffers> {
    if (market.approved) return readOpenOffers(db, filter, start, PAGE);
    return { offers: [], next: 'after' in start ? start.after : FEED_START };
  }
};

function startOf({ cursor, since }: { cursor?: string | undefined; since?: Date | undefined }): OfferStart {
  if (cursor === undefined) return { since: since ?? new Date(Date.now() - DEFAULT_SINCE_MS) };
  const after = parseCursor(cursor);
  if (after) return { after };
  throw invalidField('cursor', 'must be a cursor from this route');
}
