import type { Logger } from 'pino';
import { offersDue, offersMade } from '../db/commands/auto-claim-offers.ts';
import type { Database } from '../db/orm.ts';
import { ordersForAutoClaim } from '../db/queries/auto-claims.ts';
import type { OrderGateway } from './gateway.ts';

export interface OfferDeps {
  db: Database;
  gateway: OrderGateway;
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
  log: Logger;
}

/** Signals on their way at once: an LP that switches auto-claim on must not slow everybody's orders. */
const AT_ONCE = 10;

/** Has the open orders that an LP's auto-claim covers look again who takes them. */
export async function offerOpenOrders(
  { db, gateway, strikeCoolDown }: Omit<OfferDeps, 'log'>,
  lpId: number,
): Promise<void> {
  const orderIds = await ordersForAutoClaim(db, lpId, strikeCoolDown);
  while (orderIds.length > 0) await Promise.all(orderIds.splice(0, AT_ONCE).map(gateway.offer));
}

/**
 * Offers what is open to the LPs with auto-claim on that have become able to take more: by switching it on, by a new
 * rate, address or tier, by a deposit, an approval, or because their cool-down is over. Once more some seconds after
 * (`age`): an order that was being created at that moment has seen neither, as its own look was before the change, and
 * the change's look for open orders was before it.
 */
export async function repeatOffers(deps: OfferDeps, age: string): Promise<void> {
  for (const due of await offersDue(deps.db, age, deps.strikeCoolDown)) {
    await offerOpenOrders(deps, due.lp_id);
    await offersMade(deps.db, due);
    deps.log.debug({ lpId: due.lp_id }, 'open orders were offered again');
  }
}
