import type { Logger } from 'pino';
import { offersDue, offersMade } from '../../lps/auto-claim-offers.ts';
import { type OfferDeps, offerOpenOrders } from '../../orders/offer-open-orders.ts';

/**
 * Offers the open orders to LPs with auto-claim that have become able to take more. The cause can be a new
 * configuration, terms, address, tier, deposit or approval, a pause or an incident that has ended, or another reference price. It
 * can also be the end of a cool-down, or a lost order that returns fiat to a float. It repeats this after `age`. Otherwise an
 * order that was being created at that moment could be missed: the order may have searched for LPs before the change, and the
 * change for orders before the creation.
 *
 * Each round offers some of an LP's orders, and the next one goes on with older ones. What was due before the first of these
 * rounds has been offered after the last one.
 */
export function createOfferRepetition(deps: OfferDeps & { log: Logger }, age: string): () => Promise<void> {
  const { db, strikeCoolDown, log } = deps;
  /** LPs with more open orders than one round offers: where the next round goes on, and when the first one began. */
  const unfinished = new Map<number, { settled_at: string; before: number }>();
  return async () => {
    const failures: unknown[] = [];
    for (const { lp_id, settled_at } of await offersDue(db, age, strikeCoolDown)) {
      const begun = unfinished.get(lp_id);
      const first = begun?.settled_at ?? settled_at;
      try {
        const before = await offerOpenOrders(deps, lp_id, begun?.before);
        if (before !== null) {
          unfinished.set(lp_id, { settled_at: first, before });
          continue;
        }
        unfinished.delete(lp_id);
        await offersMade(db, { lp_id, settled_at: first });
        log.debug({ lpId: lp_id }, 'offered the open orders to an LP again');
      } catch (error) {
        // The offers stay due for this LP. The other LPs must not wait for it.
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `the offers to ${failures.length} LPs failed`);
  };
}
