import type { Context } from 'koa';
import type { Auth, RouteLimit } from '../../contract/route-contract.ts';
import type { Order } from '../../db/entities/order.ts';
import type { Database } from '../../db/orm.ts';
import type { Findings, Inquiry, KnownAgent } from '../../db/queries/callers.ts';
import { hitRateWindow, type RateState } from '../../db/queries/rate-window.ts';
import { DomainError } from '../../domain/errors.ts';
import type { ApiDeps } from '../deps.ts';
import { namedOrderId } from '../named-order.ts';
import type { Principals, Route } from '../route.ts';
import { countFailure, failureWindow } from './auth-failures.ts';
import { credentials, noteUse } from './authenticate.ts';
import { clientAddress } from './client-address.ts';

/** All limits are so many requests in any 60 seconds, counted exactly over all API processes. */
const WINDOW_SECONDS = 60;

/** A route's limit for each client address. */
export async function limitClient(
  ctx: Context,
  { clientLimit }: Route,
  { db, settings }: ApiDeps,
): Promise<void> {
  if (clientLimit) await count(ctx, db, clientLimit, clientAddress(ctx.req, settings.trustProxyHops));
}

/** The limits of a caller that was let in: an agent key's own, over all routes, and the route's for each key. */
export async function limitKey(
  ctx: Context,
  { auth, keyLimit }: Route,
  { db }: ApiDeps,
  principal: Principals[Auth],
): Promise<void> {
  if (typeof principal !== 'object' || principal === null) return;
  if ('kind' in principal) {
    if (principal.kind === 'agent') await limitAgent(ctx, db, principal.agent);
    return;
  }
  if ('rate_limit' in principal) await limitAgent(ctx, db, principal);
  if (keyLimit) await count(ctx, db, keyLimit, `${auth}:${principal.id}`);
}

async function limitAgent(ctx: Context, db: Database, { id, rate_limit }: KnownAgent): Promise<void> {
  if (rate_limit) await count(ctx, db, { name: 'agent', max: rate_limit }, id);
}

/**
 * Who calls, and the order that the path names. Lets a client address try keys, and stops one that has failed too
 * often, whatever its next key. Of guesses that come at the same moment some more may be looked up, but none of them is
 * told that it was wrong.
 */
export async function admit(
  ctx: Context,
  { auth, path }: Route,
  { db, settings }: ApiDeps,
  inquire: (inquiry: Inquiry) => Promise<Findings>,
): Promise<{ principal: Principals[Auth]; order: Order | null }> {
  const { authFailureLimit: max, trustProxyHops } = settings;
  const tries = auth !== 'none' && (auth !== 'any' || ctx.get('authorization') !== '');
  const address = tries && max > 0 ? clientAddress(ctx.req, trustProxyHops) : null;
  const { principal: principalBy, ...hashes } = credentials(ctx, auth, settings);
  const found = await inquire({
    failures: address && failureWindow(address),
    orderId: namedOrderId(path, ctx.params),
    ...hashes,
  });
  if (found.refusedFor !== null)
    enforce(ctx, max, { within: false, remaining: 0, resetSeconds: found.refusedFor });

  const noteFailure = async () => {
    if (address !== null) enforce(ctx, max, await countFailure(db, address, max));
  };
  let principal: Principals[Auth];
  try {
    principal = principalBy(found);
  } catch (error) {
    await noteFailure();
    throw error;
  }
  // Where a key is not asked for, a wrong one is no failure of the request, but it is one to be counted.
  if (auth === 'any' && principal === null) await noteFailure();
  if (auth === 'agent') await noteUse(db, principal as Principals['agent']);
  return { principal, order: found.order };
}

async function count(ctx: Context, db: Database, { name, max }: RouteLimit, caller: string | number) {
  if (max === 0) return;
  enforce(ctx, max, await hitRateWindow(db, `${name}:${caller}`, max, WINDOW_SECONDS));
}

/** Says in the headers where the caller stands, and refuses it over the limit. Of several limits the nearest is shown. */
function enforce(ctx: Context, max: number, { within, remaining, resetSeconds }: RateState): void {
  const shown = ctx.response.get('ratelimit-remaining');
  if (!within || !shown || remaining < Number(shown)) {
    ctx.set({
      'RateLimit-Limit': String(max),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    });
  }
  if (!within) throw new DomainError('rate_limited', undefined, { retryAfter: resetSeconds });
}
