import type { Logger } from 'pino';
import { offersDue, offersMade } from '../../lps/auto-claim-offers.ts';
import { type OfferDeps, offerOpenOrders } from '../../orders/offer-open-orders.ts';

/**
 * Offers the open orders to LPs with auto-claim that have become able to take more. The cause can be a new
 * configuration, terms, address, tier, deposit or approval. It can also be the end of a cool-down, or a lost order that
 * returns fiat to a float. It repeats this after `age`. Otherwise an order that was being created at that moment could
 * be missed: the order may have searched for LPs before the change, and the change for orders before the creation.
 */
export async function repeatAutoClaimOffers(deps: OfferDeps & { log: Logger }, age: string): Promise<void> {
  const { db, strikeCoolDown, log } = deps;
  const failures: unknown[] = [];
  for (const due of await offersDue(db, age, strikeCoolDown)) {
    try {
      await offerOpenOrders(deps, due.lp_id);
      await offersMade(db, due);
      log.debug({ lpId: due.lp_id }, 'offered the open orders to an LP again');
    } catch (error) {
      // The offers stay due for this LP. The other LPs must not wait for it.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `the offers to ${failures.length} LPs failed`);
}
