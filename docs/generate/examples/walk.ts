import { type Actors, type Party, partyOf, type Walk, type WalkAgent } from './actors.ts';
import {
  walkAdminRoutes,
  walkAdmins,
  walkBulkRuns,
  walkConsole,
  walkKeyRoutes,
  walkPostings,
} from './walk-admin.ts';
import { registerLp, walkCollateral, walkLpReads } from './walk-lps.ts';
import { walkCancelledOrders, walkCompletedOrder, walkDisputes } from './walk-orders.ts';

/** Calls every route of the API, from a key to completed, cancelled and disputed orders. */
export async function walkRoutes(walk: Walk): Promise<void> {
  const anyone = walk.caller();
  await anyone('GET', '/healthz');
  await anyone('GET', '/readyz');
  const admin = partyOf(walk, walk.adminKey);
  const agent = await registerAgent(walk, admin);
  const lp = await registerLp(walk, admin, { name: 'Savanna Liquidity', rate: 129.5 });
  const otherLp = await registerLp(walk, admin, { name: 'Lakeside Liquidity', rate: 128.75 });
  const actors: Actors = { admin, anyone, agent, lp, otherLp };

  for (const part of [
    walkCompletedOrder,
    walkCancelledOrders,
    walkDisputes,
    walkCollateral,
    walkLpReads,
    walkPostings,
    walkBulkRuns,
    walkAdminRoutes,
    walkAdmins,
    walkKeyRoutes,
    walkConsole,
  ]) {
    walk.print(part.name);
    await part(actors);
  }
  await anyone('GET', '/openapi.json');
  await admin.call('GET', '/metrics');
}

async function registerAgent(walk: Walk, admin: Party): Promise<WalkAgent> {
  const user = await admin.call('POST', '/api/admin/users', { name: 'A payer' });
  const names = { name: 'web shop', integrator_name: 'Example Shop Ltd' };
  const key = await admin.call('POST', '/api/admin/agent-keys', names);
  return {
    ...partyOf(walk, key.body.api_key),
    userId: user.body.id,
    keyId: key.body.id,
    callbackUrl: walk.callbackUrl,
  };
}
