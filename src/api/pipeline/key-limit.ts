import type { Context } from 'koa';
import type { KnownAgent } from '../../access/find-caller.ts';
import type { Database } from '../../db/orm.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { countRequest } from './rate-limit.ts';

/** Applies to an authenticated caller the limit of its agent key over all routes, and then the route's limit per key. */
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
  if (keyLimit) await countRequest(ctx, db, keyLimit, `${auth}:${principal.id}`);
}

async function limitAgent(ctx: Context, db: Database, { id, rate_limit }: KnownAgent): Promise<void> {
  if (rate_limit) await countRequest(ctx, db, { name: 'agent', max: rate_limit }, id);
}
