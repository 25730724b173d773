import type { Offer } from './shapes.ts';

/** A row of the open orders. A closed one keeps its place until the list moves again. */
export interface OfferRow {
  offer: Offer;
  isOpen: boolean;
}

/** What a list of offers shows, and how many newer ones wait. */
export interface SteadyOffers {
  rows: OfferRow[];
  waiting: number;
}

/**
 * The offers in the places that they have in `held`, so that no button moves while somebody points at it. If none of
 * `held` is open: in the order of `current`.
 */
export function keepPlaces(held: readonly Offer[], current: readonly Offer[]): SteadyOffers {
  const open = new Map(current.map((offer) => [offer.id, offer]));
  const rows = held.map((offer) => ({
    offer: open.get(offer.id) ?? offer,
    isOpen: open.has(offer.id),
  }));
  if (!rows.some(({ isOpen }) => isOpen))
    return { rows: current.map((offer) => ({ offer, isOpen: true })), waiting: 0 };
  const waiting = current.length - rows.filter(({ isOpen }) => isOpen).length;
  return { rows, waiting };
}
