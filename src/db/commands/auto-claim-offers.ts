import type { Database } from '../orm.ts';
import { strikesOf } from '../queries/cool-down.ts';

/**
 * A CTE that has the open orders offered again to an LP whose auto-claim is on; `lpIds`: a subquery of its id. For the
 * statement by which the LP becomes able to take orders that it could not take before, so that none is forgotten.
 */
export const offersBecomeDue = (lpIds: string): string => `
  offers_due as (update lp_auto_claim set offers_due_at = now() where enabled and lp_id in (${lpIds}))`;

export interface DueOffers {
  lp_id: number;
  /** What had happened by then is settled: the statements that made it happen have ended. */
  settled_at: string;
}

/** A cool-down that is over is a reason of its own: nothing happens at its end that could say so. */
const OFFERS_DUE = `
  select auto.lp_id, now() - $1::interval as settled_at
  from lp_auto_claim auto
  join lp on lp.id = auto.lp_id and lp.status = 'approved'
  cross join lateral (${strikesOf('lp.id', '$2')}) struck
  where auto.enabled
    and greatest(auto.offers_due_at, struck.cooling_until) > coalesce(auto.offered_at, '-infinity')
    and (struck.cooling_until is null or struck.cooling_until <= now())
  order by auto.offered_at nulls first, auto.lp_id
  limit 20`;

/** LPs that may be able to take open orders which they were not offered for certain. Those who waited longest first. */
export const offersDue = (db: Database, age: string, coolDownMs: number): Promise<DueOffers[]> =>
  db.query<DueOffers>('offers-due', OFFERS_DUE, [age, coolDownMs]);

const OFFERS_MADE = `update lp_auto_claim set offered_at = $2 where lp_id = $1`;

/** Notes that the offers have been made for all that was settled; what has happened since is due again. */
export async function offersMade(db: Database, { lp_id, settled_at }: DueOffers): Promise<void> {
  await db.query('offers-made', OFFERS_MADE, [lp_id, settled_at]);
}
