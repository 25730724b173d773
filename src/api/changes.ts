import type { z } from 'zod';
import { changesQuery, changesResponse } from '../contract/feed.ts';
import type { Database } from '../db/orm.ts';
import { cursorOf, feedEnd, isAfter, positionFrom, readFeed } from '../db/queries/feed.ts';
import { lpMarket } from '../db/queries/lp-market.ts';
import { invalidField } from '../domain/errors.ts';
import { changesFor } from '../stream/messages.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

const PAGE = 500;
/** How soon to come again: when there is more already, when there is trade, and when there is none. */
const POLL_AGAIN_MS = { more: 1, busy: 1_000, idle: 3_000 };

/** What the socket says, for LPs that cannot have one. */
export const changesRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/lp/:lp_key/orders/changes',
    auth: 'lp',
    summary: 'Read what has happened to orders',
    description:
      'The changes behind `cursor`, in the words of the socket and with the same cursors: from either one can go on by the other, and is told nothing twice.',
    query: changesQuery,
    answers: { 200: changesResponse },
    refuses: [],
    handle: async ({ principal: lp, query }) => ({ status: 200, body: await changesSince(db, lp.id, query) }),
  }),
];

async function changesSince(
  db: Database,
  lpId: number,
  { cursor, currencies = [] }: z.output<typeof changesQuery>,
): Promise<z.output<typeof changesResponse>> {
  const { more, busy, idle } = POLL_AGAIN_MS;
  const end = await feedEnd(db);
  if (cursor === undefined) return { changes: [], cursor: cursorOf(end), poll_again_ms: idle };
  const after = positionFrom(cursor);
  if (!after) throw invalidField('cursor', 'must be a cursor of this feed');
  // As on the socket: a place that the feed has not come to is none of this database's.
  if (isAfter(after, end)) throw invalidField('cursor', 'is not of this feed: begin without one');
  const market = await lpMarket(db, lpId);
  const { events, next } = await readFeed(db, after, PAGE);
  const changes = events.flatMap((event) => changesFor(event, { market, currencies }, after));
  const poll_again_ms = events.length === PAGE ? more : changes.length > 0 ? busy : idle;
  return { changes, cursor: cursorOf(next), poll_again_ms };
}
