import { streamQuery, streamResponse } from '../contract/stream.ts';
import { cursorOf, FEED_START, positionFrom } from '../db/queries/feed.ts';
import { type LpMarket, lpMarket } from '../db/queries/lp-market.ts';
import {
  type OfferFilter,
  type OfferStart,
  type OpenOffers,
  readOpenOffers,
} from '../db/queries/open-offers.ts';
import { invalidField } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { offerView } from '../domain/offer-view.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

const DEFAULT_SINCE_MS = 60_000;
const PAGE = 100;
/** How soon to come again: when there is trade, when there is none, and when the LP could not claim anyway. */
const POLL_AGAIN_MS = { busy: 1_000, idle: 3_000, unable: 10_000 };

/** Contract: "orders/stream": open orders for LPs that poll. */
export const streamRoutes = ({ db }: ApiDeps): Route[] => {
  return [
    route({
      method: 'get',
      path: '/api/lp/:lp_key/orders/stream',
      auth: 'lp',
      summary: 'Read the orders that have opened',
      description:
        'Open orders that opened after `cursor`, or else since `since` (a minute ago by default). None before the LP is approved: its cursor stays where it was.',
      query: streamQuery,
      answers: { 200: streamResponse },
      refuses: [],
      handle: async ({ principal: lp, query }) => {
        const market = await lpMarket(db, lp.id);
        const filter = { lpId: lp.id, currencies: query.currencies ?? [], assets: market.assets };
        const { offers, next } = await offersTo(market, filter, startOf(query));
        const orders = offers.map((row) =>
          offerView(row, market.tier, market.rates.get(row.currency) ?? null),
        );
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

  /** Where an LP that is not approved begins, it still does when it is: it gets to see all that is open then. */
  async function offersTo(market: LpMarket, filter: OfferFilter, start: OfferStart): Promise<OpenOffers> {
    if (market.approved) return readOpenOffers(db, filter, start, PAGE);
    return { offers: [], next: 'after' in start ? start.after : FEED_START };
  }
};

function startOf({ cursor, since }: { cursor?: string | undefined; since?: Date | undefined }): OfferStart {
  if (cursor === undefined) return { since: since ?? new Date(Date.now() - DEFAULT_SINCE_MS) };
  const after = positionFrom(cursor);
  if (after) return { after };
  throw invalidField('cursor', 'must be a cursor that this route gave');
}
