import type { Context } from 'koa';
import { clientAddress } from '../../http/client-address.ts';
import type { ApiDeps } from '../deps.ts';
import type { Route } from '../route.ts';
import { countRequest } from './rate-limit.ts';

/** Applies the route's limit for each client address. */
export async function limitClient(
  ctx: Context,
  { clientLimit }: Route,
  { db, settings }: ApiDeps,
): Promise<void> {
  if (clientLimit) await countRequest(ctx, db, clientLimit, clientAddress(ctx.req, settings.trustProxyHops));
}
