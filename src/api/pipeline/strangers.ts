import type { Context } from 'koa';
import { createAddressLimit } from '../../http/access/address-limit.ts';
import { sessionToken } from '../../http/access/console-session.ts';
import { clientAddress } from '../../http/client-address.ts';
import { HttpError } from '../../http/errors.ts';
import { isFromForeignPage } from '../../http/own-page.ts';
import { createTurns, type Turns } from '../../process/turns.ts';
import type { Config } from '../../settings/config.ts';
import type { ApiDeps } from '../deps.ts';
import type { Route } from '../route.ts';
import { countRequest, enforceLimit, WINDOW_SECONDS } from './rate-limit.ts';

/** The limits of callers without a key, which they have in common. */
export interface Strangers {
  /** Counts a request against the limit of the client address, and refuses it above the limit. */
  count: (ctx: Context) => void;
  /** Does work for a caller without a key when it is its turn. Refuses the work if too much waits. */
  inTurn: Turns;
}

/** Requests that may wait for each one that is served. */
const MOST_WAITING = 10;
const CROWD = 'Too many callers without a key wait for a response: try again in a second, or use a key';

/**
 * Limits callers without a key, so that they are nobody else's outage: each address by `PUBLIC_RATE_LIMIT`, and all of them
 * together to half of the database's connections, so that a caller with a key always finds one of the others.
 */
export function createStrangers({
  limits,
  trustProxyHops,
  databasePoolSize,
}: Pick<Config, 'limits' | 'trustProxyHops' | 'databasePoolSize'>): Strangers {
  const limit = { name: 'public', max: limits.public };
  const take = createAddressLimit(limit.max, WINDOW_SECONDS);
  const places = Math.floor(databasePoolSize / 2);
  const refuse = () => new HttpError('rate_limited', CROWD, { retryAfter: 1 });
  return {
    count: (ctx) => {
      if (limit.max > 0) enforceLimit(ctx, limit, take(clientAddress(ctx.req, trustProxyHops)));
    },
    inTurn: createTurns({ places, mostWaiting: MOST_WAITING * places, refuse }),
  };
}

/** Whether a request presents neither a key nor a session where its route takes one. */
export const isOfStranger = (ctx: Context, { auth }: Pick<Route, 'auth'>, settings: Config): boolean =>
  auth === 'none' || (ctx.get('authorization') === '' && sessionToken(ctx.req, settings) === undefined);

const HOUR_SECONDS = 3_600;

/**
 * For a route with which anybody creates rows: refuses a page of another site, whose visitors would create them unknowingly,
 * and an address that has created too many within an hour.
 */
export async function limitCreation(
  ctx: Context,
  { strangersCreate }: Route,
  { db, settings }: Pick<ApiDeps, 'db' | 'settings'>,
): Promise<void> {
  if (!strangersCreate) return;
  if (isFromForeignPage(ctx.req, settings)) throw new HttpError('origin_refused');
  const limit = { name: 'stranger-rows', max: settings.limits.strangerRows, windowSeconds: HOUR_SECONDS };
  await countRequest(ctx, db, limit, clientAddress(ctx.req, settings.trustProxyHops));
}
