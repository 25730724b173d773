import type { FeedMessage, Offer } from './shapes.ts';

/** The open orders by id, and the position in the feed. Pure functions; the side effects are in `desk.ts`. */
export interface Offers {
  byId: ReadonlyMap<number, Offer>;
  /** Where the feed resumes after a disconnect; null: it starts with a snapshot. */
  cursor: string | null;
}

export const NO_OFFERS: Offers = { byId: new Map(), cursor: null };

/** The effect of one feed message. */
export interface FeedUpdate {
  offers: Offers;
  /** Orders that opened after the first snapshot. */
  opened: Offer[];
  /** Whether one of the LP's own orders may have changed. */
  hasOwnChange: boolean;
}

export function applyMessage(offers: Offers, message: FeedMessage): FeedUpdate {
  const unchanged = { opened: [], hasOwnChange: false };
  switch (message.type) {
    case 'snapshot': {
      const byId = new Map(message.orders.map((order) => [order.id, order]));
      const isFirst = offers.cursor === null && offers.byId.size === 0;
      const opened = isFirst ? [] : message.orders.filter(({ id }) => !offers.byId.has(id));
      return { offers: { byId, cursor: message.cursor }, opened, hasOwnChange: true };
    }
    case 'order.open': {
      const { order, cursor } = message;
      const opened = offers.byId.has(order.id) ? [] : [order];
      const byId = new Map(offers.byId).set(order.id, order);
      return { offers: { byId, cursor }, opened, hasOwnChange: false };
    }
    case 'order.closed':
      return { ...unchanged, offers: removeOffer({ ...offers, cursor: message.cursor }, message.id) };
    case 'order.updated':
      return { ...unchanged, offers: { ...offers, cursor: message.cursor }, hasOwnChange: true };
    default:
      return { ...unchanged, offers };
  }
}

export function removeOffer(offers: Offers, id: number): Offers {
  const byId = new Map(offers.byId);
  byId.delete(id);
  return { ...offers, byId };
}

export interface ClaimLimits {
  /** Collateral that the LP can lock, in USD. */
  available: number;
  /** The service's time, in milliseconds. */
  now: number;
}

/** Whether the offer has not expired and the LP has enough collateral for it. */
export const isClaimable = (offer: Offer, { available, now }: ClaimLimits): boolean =>
  offer.collateral_required <= available && Date.parse(offer.expires_at) > now;

/** An order whose profit is not known ranks behind every other. */
const profitOf = ({ est_profit_usd }: Offer): number => est_profit_usd ?? Number.NEGATIVE_INFINITY;

/** Returns the offers by profit, highest first; equal profits by collateral, lowest first. */
export const rankOffers = (offers: Iterable<Offer>): Offer[] =>
  [...offers].sort((a, b) => {
    const [ofA, ofB] = [profitOf(a), profitOf(b)];
    return (ofA === ofB ? 0 : ofB - ofA) || a.collateral_required - b.collateral_required || a.id - b.id;
  });

/** Returns the best claimable offer that does not lose money. */
export const findBestClaimable = (offers: Iterable<Offer>, limits: ClaimLimits): Offer | undefined =>
  rankOffers(offers).find((offer) => profitOf(offer) >= 0 && isClaimable(offer, limits));
