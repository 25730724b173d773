import { streamQuery, streamResponse } from '../contract/stream.ts';
import { cursorOf, positionFrom } from '../db/queries/feed.ts';
import { lpMarket } from '../db/queries/lp-market.ts';
import { type OfferStart, readOpenOffers } from '../db/queries/open-offers.ts';
import { invalidField } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { offerView } from '../domain/offer-view.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

const DEFAULT_SINCE_MS = 60_000;
const PAGE = 100;
/** How soon to come again: when there is trade, when there is none, and when the LP could not claim anyway. */
const POLL_AGAIN_MS = { busy: 1_000, idle: 3_000, noCollateral: 10_000 };

/** Contract: "orders/stream": open orders for LPs that poll. */
export const streamRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/lp/:lp_key/orders/stream',
    auth: 'lp',
    summary: 'Read the orders that have opened',
    description: 'Open orders that opened after `cursor`, or else since `since` (a minute ago by default).',
    query: streamQuery,
    answers: { 200: streamResponse },
    refuses: [],
    handle: async ({ principal: lp, query }) => {
      const market = await lpMarket(db, lp.id);
      const filter = { lpId: lp.id, currencies: query.currencies ?? [], assets: market.assets };
      const { offers, next } = await readOpenOffers(db, filter, startOf(query), PAGE);
      const orders = offers.map((row) => offerView(row, market.tier, market.rates.get(row.currency) ?? null));
      const poll_again_ms = decimal(market.available).isZero()
        ? POLL_AGAIN_MS.noCollateral
        : orders.length > 0
          ? POLL_AGAIN_MS.busy
          : POLL_AGAIN_MS.idle;
      return { status: 200, body: { orders, count: orders.length, poll_again_ms, cursor: cursorOf(next) } };
    },
  }),
];

function startOf({ cursor, since }: { cursor?: string | undefined; since?: Date | undefined }): OfferStart {
  if (cursor === undefined) return { since: since ?? new Date(Date.now() - DEFAULT_SINCE_MS) };
  const after = positionFrom(cursor);
  if (after) return { after };
  throw invalidField('cursor', 'must be a cursor that this route gave');
}
