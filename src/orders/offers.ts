import type { Logger } from 'pino';
import { offersDue, offersMade } from '../db/commands/set-auto-claim.ts';
import type { Database } from '../db/orm.ts';
import { ordersForAutoClaim } from '../db/queries/auto-claims.ts';
import type { OrderGateway } from './gateway.ts';

export interface OfferDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
}

/** Signals on their way at once: an LP that switches auto-claim on must not slow everybody's orders. */
const AT_ONCE = 10;

/** Has the open orders that an LP's auto-claim covers look again who takes them. */
export async function offerOpenOrders(
  { db, gateway }: Pick<OfferDeps, 'db' | 'gateway'>,
  lpId: number,
): Promise<void> {
  const orderIds = await ordersForAutoClaim(db, lpId);
  while (orderIds.length > 0) await Promise.all(orderIds.splice(0, AT_ONCE).map(gateway.offer));
}

/**
 * Offers once more, some seconds after an LP switched auto-claim on, what is still open. The API has offered at once,
 * but it may have died over it, and an order that was being created at that moment has seen neither: its own look was
 * before the change, and the change's look for open orders was before it.
 */
export async function repeatOffers(deps: OfferDeps, age: string): Promise<void> {
  for (const due of await offersDue(deps.db, age)) {
    await offerOpenOrders(deps, due.lp_id);
    await offersMade(deps.db, due);
    deps.log.debug({ lpId: due.lp_id }, 'open orders were offered again');
  }
}
