import type { z } from 'zod';
import type { Database } from '../../../db/orm.ts';
import { invalidField } from '../../../domain/errors.ts';
import { cursorOf, isAfter, parseCursor } from '../../../domain/feed-cursor.ts';
import type { KnownLp } from '../../../http/access/find-caller.ts';
import { lpMarket } from '../../../market/lps/market.ts';
import { changesFor } from '../../../notify/feed/messages.ts';
import { feedEnd, readFeed } from '../../../notify/feed/reader.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { changesQuery, changesResponse } from './schemas.ts';

const PAGE = 500;
/** When to poll again: with more changes waiting, after some changes, and after none. */
const POLL_AGAIN_MS = { more: 1, busy: 1_000, idle: 3_000 };

/** The changes of the socket, for LPs that cannot keep a socket open. */
export const orderChangeRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/lp/:lp_key/orders/changes',
    auth: 'lp',
    summary: 'Read the changes to orders',
    description:
      'The changes after `cursor`, as on the socket and with the same cursors, so a client can switch between the two.',
    query: changesQuery,
    answers: { 200: changesResponse },
    refuses: [],
    handle: async ({ principal: lp, query }) => ({ status: 200, body: await changesSince(db, lp, query) }),
  }),
];

async function changesSince(
  db: Database,
  { id: lpId, approved_at }: KnownLp,
  { cursor, currencies = [] }: z.output<typeof changesQuery>,
): Promise<z.output<typeof changesResponse>> {
  const { more, busy, idle } = POLL_AGAIN_MS;
  const end = await feedEnd(db);
  if (cursor === undefined) return { changes: [], cursor: cursorOf(end), poll_again_ms: idle };
  const after = parseCursor(cursor);
  if (!after) throw invalidField('cursor', 'must be a cursor from this feed');
  // As on the socket, a position beyond the end of the feed belongs to another database.
  if (isAfter(after, end)) throw invalidField('cursor', 'is not from this feed: start without a cursor');
  // Nothing in the past concerns an LP that was never approved, and anybody can register such an LP.
  if (approved_at === null && !(await lpMarket(db, lpId)).everApproved)
    return { changes: [], cursor: cursorOf(end), poll_again_ms: idle };
  const { events, next } = await readFeed(db, after, PAGE);
  // Read after the events, so each event is filtered by terms at least as new as the event.
  const market = await lpMarket(db, lpId);
  const changes = events.flatMap((event) => changesFor(event, { market, currencies }, after));
  const poll_again_ms = events.length === PAGE ? more : changes.length > 0 ? busy : idle;
  return { changes, cursor: cursorOf(next), poll_again_ms };
}
