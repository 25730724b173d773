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

/**
 * Signals the workflows of open orders that the LP's auto-claim covers to search for LPs again: some of those with an id below
 * `before`, the newest first. Returns the next `before`; null: there are no others.
 */
export async function offerOpenOrders(
  { db, gateway, strikeCoolDown }: OfferDeps,
  lpId: number,
  before?: number,
): Promise<number | null> {
  const offers = await ordersForAutoClaim(db, lpId, strikeCoolDown, before);
  const orders = await startableOrders(db, offers.orderIds);
  await attemptAll(orders, (order) => gateway.offer(order.id, wakes(order)));
  return offers.before;
}
