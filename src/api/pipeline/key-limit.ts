import type { Context } from 'koa';
import { countAgentRequest } from '../../http/access/agent-requests.ts';
import type { KnownAgent } from '../../http/access/find-caller.ts';
import { clientAddress } from '../../http/client-address.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { countRequest, enforceLimit, WINDOW_SECONDS } from './rate-limit.ts';

/**
 * Applies to an authenticated caller the limit of its agent key over all routes, which by default is that of the installation,
 * and then the route's limit per key.
 */
export async function limitKey(
  ctx: Context,
  { auth, keyLimit }: Route,
  { db, settings }: ApiDeps,
  principal: Principals[Auth],
): Promise<void> {
  if (typeof principal !== 'object' || principal === null) return;
  const limitAgent = async ({ id, rate_limit }: KnownAgent) => {
    const max = rate_limit ?? settings.limits.agent;
    if (max === 0) return;
    enforceLimit(ctx, { name: 'agent', max }, await countAgentRequest(db, id, max, WINDOW_SECONDS));
  };
  if ('kind' in principal) {
    if (principal.kind === 'agent') await limitAgent(principal.agent);
    return;
  }
  if ('rate_limit' in principal) await limitAgent(principal);
  if (!keyLimit) return;
  const address = keyLimit.perAddress ? `:${clientAddress(ctx.req, settings.trustProxyHops)}` : '';
  await countRequest(ctx, db, keyLimit, `${auth}:${principal.id}${address}`);
}
