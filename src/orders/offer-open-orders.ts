import type { Database } from '../db/orm.ts';
import { ordersForAutoClaim } from '../lps/auto-claims.ts';
import { attemptAll } from '../temporal/attempt-all.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { startableOrders, wakes } from './start-order.ts';

export interface OfferDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'offer'>;
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
}

/** Signals the workflow of each open order that the LP's auto-claim covers to search for LPs again. */
export async function offerOpenOrders(deps: OfferDeps, lpId: number): Promise<void> {
  const { db, gateway, strikeCoolDown } = deps;
  const orders = await startableOrders(db, await ordersForAutoClaim(db, lpId, strikeCoolDown));
  await attemptAll(orders, (order) => gateway.offer(order.id, wakes(order)));
}
