import type { Database } from '../db/orm.ts';
import { ordersForAutoClaim } from '../market/lps/auto-claims.ts';
import { attemptAll } from '../temporal/attempt-all.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { startableOrders, wakes } from './start-order.ts';

export interface OfferDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'offer'>;
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
}

/** Signals the workflows of the newest open orders that the LP's auto-claim covers to search for LPs again. */
export async function offerNewestOrders(deps: OfferDeps, lpId: number): Promise<void> {
  await offerOrders(deps, (await ordersForAutoClaim(deps.db, lpId, deps.strikeCoolDown)).orderIds);
}

/** Signals the workflows of these orders to search for LPs again. */
export async function offerOrders({ db, gateway }: OfferDeps, orderIds: number[]): Promise<void> {
  const orders = await startableOrders(db, orderIds);
  await attemptAll(orders, (order) => gateway.offer(order.id, wakes(order)));
}
