import type { FeedMessage, Offer } from './shapes.ts';

/** The open orders, by id, and how far the feed has been heard. Pure: what happens on the page is elsewhere. */
export interface Offers {
  byId: ReadonlyMap<number, Offer>;
  /** Where to go on after a break; null: from the beginning. */
  cursor: string | null;
}

export const NO_OFFERS: Offers = { byId: new Map(), cursor: null };

/** What one message of the feed changes. */
export interface Heard {
  offers: Offers;
  /** Orders that were not open before, and came in after the beginning. */
  opened: Offer[];
  /** Whether an order of the LP's own has moved. */
  ownMoved: boolean;
}

export function hear(offers: Offers, message: FeedMessage): Heard {
  const unchanged = { opened: [], ownMoved: false };
  switch (message.type) {
    case 'snapshot': {
      const byId = new Map(message.orders.map((order) => [order.id, order]));
      const isBeginning = offers.cursor === null && offers.byId.size === 0;
      const opened = isBeginning ? [] : message.orders.filter(({ id }) => !offers.byId.has(id));
      return { offers: { byId, cursor: message.cursor }, opened, ownMoved: true };
    }
    case 'order.open': {
      const { order, cursor } = message;
      const opened = offers.byId.has(order.id) ? [] : [order];
      return { offers: { byId: new Map(offers.byId).set(order.id, order), cursor }, opened, ownMoved: false };
    }
    case 'order.closed':
      return { ...unchanged, offers: without({ ...offers, cursor: message.cursor }, message.id) };
    case 'order.updated':
      return { ...unchanged, offers: { ...offers, cursor: message.cursor }, ownMoved: true };
    default:
      return { ...unchanged, offers };
  }
}

export function without(offers: Offers, id: number): Offers {
  const byId = new Map(offers.byId);
  byId.delete(id);
  return { ...offers, byId };
}

/** The LP's means: what an order may lock, in USD. */
export interface Means {
  available: number;
  /** The service's time, in milliseconds. */
  now: number;
}

/** Whether an order can be claimed with these means: its time has not passed, and the collateral is there. */
export const isInReach = (offer: Offer, { available, now }: Means): boolean =>
  offer.collateral_required <= available && Date.parse(offer.expires_at) > now;

/** Best first: what earns most, and of the same what locks least. */
export const ranked = (offers: Iterable<Offer>): Offer[] =>
  [...offers].sort(
    (a, b) =>
      b.est_profit_usd - a.est_profit_usd || a.collateral_required - b.collateral_required || a.id - b.id,
  );

/** The best order that is in reach, and costs the LP nothing. */
export const bestInReach = (offers: Iterable<Offer>, means: Means): Offer | undefined =>
  ranked(offers).find((offer) => offer.est_profit_usd >= 0 && isInReach(offer, means));
