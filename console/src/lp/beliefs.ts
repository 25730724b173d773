import type { Offer, OwnOrder } from './shapes.ts';

/**
 * What the page takes for true of the LP's orders before the service has said so: a step is shown at once, and taken
 * back when it is refused. Pure.
 */
export type Beliefs = ReadonlyMap<number, OwnOrder>;

export const believe = (beliefs: Beliefs, order: OwnOrder): Beliefs => new Map(beliefs).set(order.id, order);

export function forget(beliefs: Beliefs, id: number): Beliefs {
  const left = new Map(beliefs);
  left.delete(id);
  return left;
}

/** The LP's orders as they are believed to be, newest first. */
export function believed(known: readonly OwnOrder[], beliefs: Beliefs): OwnOrder[] {
  const byId = new Map(known.map((order) => [order.id, order]));
  for (const order of beliefs.values()) byId.set(order.id, order);
  return [...byId.values()].sort((a, b) => b.id - a.id);
}

/** An open order as it will be once it is claimed. Whom to pay, only the service knows. */
export const asClaimed = (offer: Offer, fiatDueAt: number): OwnOrder => ({
  ...offer,
  status: 'claimed',
  owned: true,
  timeout_at: new Date(fiatDueAt).toISOString(),
  collateral_locked: offer.collateral_required,
  lp_receive_address: null,
  user_crypto_tx_hash: null,
  recipient: null,
  recipient_name: null,
  method: null,
});

/** Orders that are the LP's to act on, or to wait for. */
export const inHand = (orders: readonly OwnOrder[]): OwnOrder[] =>
  orders.filter(({ owned, status }) => owned && status !== 'completed' && status !== 'cancelled');
