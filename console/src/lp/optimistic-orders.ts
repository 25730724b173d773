import type { Offer, OwnOrder } from './shapes.ts';

/**
 * Optimistic updates: the LP's orders as they will be once the service accepts a step, by id. The page shows a step
 * immediately, and reverts it if the service refuses it. Pure functions.
 */
export type OptimisticOrders = ReadonlyMap<number, OwnOrder>;

export const addOptimistic = (optimistic: OptimisticOrders, order: OwnOrder): OptimisticOrders =>
  new Map(optimistic).set(order.id, order);

export function removeOptimistic(optimistic: OptimisticOrders, id: number): OptimisticOrders {
  const remaining = new Map(optimistic);
  remaining.delete(id);
  return remaining;
}

/** Returns the LP's orders with the optimistic updates applied, newest first. */
export function mergeOptimistic(known: readonly OwnOrder[], optimistic: OptimisticOrders): OwnOrder[] {
  const byId = new Map(known.map((order) => [order.id, order]));
  for (const order of optimistic.values()) byId.set(order.id, order);
  return [...byId.values()].sort((a, b) => b.id - a.id);
}

/** Returns an open order as it will be once claimed. Only the service knows the recipient. */
export const buildClaimedOrder = (offer: Offer, fiatDueAt: number): OwnOrder => ({
  ...offer,
  status: 'claimed',
  owned: true,
  timeout_at: new Date(fiatDueAt).toISOString(),
  collateral_locked: offer.collateral_required,
  lp_receive_address: null,
  destination_tag: null,
  user_crypto_tx_hash: null,
  recipient: null,
  recipient_name: null,
  recipient_details: null,
  recipient_check: null,
});

/** Returns the orders that the LP owns and that have not ended. */
export const listActiveOrders = (orders: readonly OwnOrder[]): OwnOrder[] =>
  orders.filter(({ owned, status }) => owned && status !== 'completed' && status !== 'cancelled');
