import type { Database } from '../../db/orm.ts';
import { onceASecond } from '../../process/remembered.ts';
import {
  bestOffer,
  bestOfferAmong,
  type Offer,
  type OfferRequest,
  type OfferSettings,
} from './best-offer.ts';
import { type RankedLps, rankLps } from './ranked-lps.ts';

/** Up to so many LPs, one statement ranks all that could claim the order. */
export const SMALL = 64;
/** How many of the best LPs of a larger corridor a quote looks at first. */
const FIRST = 32;

/** Returns the offer to quote: that of `bestOffer`. Undefined: no LP could claim the order now. */
export type FindOffer = (request: OfferRequest) => Promise<Offer | undefined>;

/**
 * Finds offers at a cost that does not grow with the LPs of a corridor. In a corridor with many of them, their ranking by price
 * is read once a second for all quotes. A quote then looks only at the best, as they are now: what an LP can take, its rate, and
 * whether it may claim are never older than the quote. Two things can be a second old there. An LP that has just become better
 * than the first ones is not looked at yet, and rates are compared with those of a second ago.
 */
export function createOfferSearch(db: Database, settings: OfferSettings): FindOffer {
  const large = new Map<string, () => Promise<RankedLps>>();

  async function amongAll(corridor: string, request: OfferRequest): Promise<Offer | undefined> {
    const found = await bestOffer(db, request, settings);
    if (!found) return undefined;
    const { of, ...offer } = found;
    if (of > SMALL)
      large.set(
        corridor,
        onceASecond(() => rankLps(db, request, settings)),
      );
    return offer;
  }

  return async (request) => {
    const { currency, method, symbol, chain } = request;
    const corridor = [currency, method, symbol, chain].join(' ');
    const ranked = await large.get(corridor)?.();
    if (ranked && ranked.lps.length > SMALL) {
      const offer = await amongRanked(db, request, settings, ranked);
      if (offer) return offer;
    } else large.delete(corridor);
    return amongAll(corridor, request);
  };
}

/** Looks at twice as many LPs until none of the others could rank before the best of them. Undefined: none can take the order. */
async function amongRanked(
  db: Database,
  request: OfferRequest,
  settings: OfferSettings,
  { judged, lps }: RankedLps,
): Promise<Offer | undefined> {
  for (let count = FIRST; ; count *= 2) {
    const looked = lps.slice(0, count);
    const ids = looked.map(({ lp_id }) => lp_id);
    const found = await bestOfferAmong(db, request, settings, judged, ids);
    const next = lps[count];
    if (!next) return found && withoutCover(found);
    const place = looked.find(({ lp_id }) => lp_id === found?.lp_id)?.place ?? Number.POSITIVE_INFINITY;
    // LPs of the same place are sorted by their records. Of these, only one with more collateral could still be better.
    if (found && (place < next.place || found.covers_most)) return withoutCover(found);
  }
}

const withoutCover = ({ lp_id, rate_usd, spread_bps }: Offer): Offer => ({ lp_id, rate_usd, spread_bps });
