import type { Logger } from 'pino';
import { offersDue, offersMade } from '../../../market/lps/auto-claim-offers.ts';
import { ordersForAutoClaim } from '../../../market/lps/auto-claims.ts';
import { type OfferDeps, offerOrders } from '../../../orders/offer-open-orders.ts';

/** The rounds over the open orders of one LP. Each process has its own. */
interface Pass {
  /** Every statement that began before this time was visible to the first round. */
  settled_at: string;
  /** The next round offers orders with smaller ids. */
  before: number;
  hasFailed: boolean;
}

/**
 * Offers the open orders to LPs with auto-claim that have become able to take more. The cause can be a new
 * configuration, terms, address, tier, deposit or approval, a pause or an incident that has ended, or a higher reference price. It
 * can also be the end of a cool-down, or a lost order that returns fiat to a float. It repeats this after `age`. Otherwise an
 * order that was being created at that moment could be missed: the order may have searched for LPs before the change, and the
 * change for orders before the creation.
 *
 * A round offers an LP some of its orders, the newest first, and the next round goes on with older ones. After the last one,
 * everything that was due before the first one has been offered. If an order fails, the others still have their turn, and the
 * LP's offers stay due, so another pass follows.
 */
export function createOfferRepetition(deps: OfferDeps & { log: Logger }, age: string): () => Promise<void> {
  const { db, strikeCoolDown, log } = deps;
  const passes = new Map<number, Pass>();
  return async () => {
    const failures: unknown[] = [];
    const due = await offersDue(db, age, strikeCoolDown);
    const isDue = new Set(due.map(({ lp_id }) => lp_id));
    for (const lpId of passes.keys()) if (!isDue.has(lpId)) passes.delete(lpId);
    for (const { lp_id, settled_at } of due) {
      const pass = passes.get(lp_id);
      const begun = pass?.settled_at ?? settled_at;
      let hasFailed = pass?.hasFailed ?? false;
      try {
        const { orderIds, before } = await ordersForAutoClaim(db, lp_id, strikeCoolDown, pass?.before);
        await offerOrders(deps, orderIds).catch((error) => {
          // The other LPs must not wait for it either.
          failures.push(error);
          hasFailed = true;
        });
        if (before !== null) {
          passes.set(lp_id, { settled_at: begun, before, hasFailed });
          continue;
        }
        passes.delete(lp_id);
        if (hasFailed) continue;
        await offersMade(db, { lp_id, settled_at: begun });
        log.debug({ lpId: lp_id }, 'offered the open orders to an LP again');
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `the offers to ${failures.length} LPs failed`);
  };
}
