import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../db/orm.ts';
import { strikesOf } from './cool-down.ts';

/**
 * A CTE that makes the worker offer the open orders again to LPs with auto-claim. `lpIds`: a subquery of their ids.
 * Every statement that enables an LP to claim more orders than before must contain it.
 */
export const offersBecomeDue = (lpIds: string): string => `offers_due as (
  update lp_auto_claim set offers_due_at = now() where enabled and lp_id in (${lpIds})
)`;

/**
 * Makes the worker offer the open orders again to all LPs with auto-claim. `em`: that of the transaction after which orders that
 * nobody could claim can be claimed.
 */
export async function offerOrdersAgain(em: SqlEntityManager): Promise<void> {
  await em.execute(`with ${offersBecomeDue('select lp_id from lp_auto_claim')} select 1`);
}

export interface DueOffers {
  lp_id: number;
  /** Every statement that began before this time has ended, so its effect is visible. */
  settled_at: string;
}

/**
 * No statement marks the end of a cool-down, so this query checks it. A step that returns fiat to a float marks the
 * terms, which it changes anyway. It must not lock `lp_auto_claim`: it has already locked the LP's collateral, and
 * statements that confirm deposits lock the two in the other order.
 */
const OFFERS_DUE = `
  select auto.lp_id, now() - $1::interval as settled_at
  from lp_auto_claim auto
  join lp on lp.id = auto.lp_id and lp.status = 'approved'
  cross join lateral (${strikesOf('lp.id', '$2')}) struck
  cross join lateral (
    select max(float_back_at) as back_at from lp_term
    where lp_term.lp_id = lp.id and lp_term.float_available is not null
  ) float
  where auto.enabled
    and greatest(auto.offers_due_at, struck.cooling_until, float.back_at) > coalesce(auto.offered_at, '-infinity')
    and (struck.cooling_until is null or struck.cooling_until <= now())
  order by auto.offered_at nulls first, auto.lp_id
  limit 20`;

/**
 * LPs that may be able to claim open orders that the worker has not offered to them. The LPs that have waited longest
 * come first.
 */
export const offersDue = (db: Database, age: string, coolDownMs: number): Promise<DueOffers[]> =>
  db.query<DueOffers>('offers-due', OFFERS_DUE, [age, coolDownMs]);

const OFFERS_MADE = `update lp_auto_claim set offered_at = greatest(offered_at, $2) where lp_id = $1`;

/**
 * Records that all offers due at `settled_at` were made. Later changes make offers due again. Another process may already have made
 * later ones.
 */
export async function offersMade(db: Database, { lp_id, settled_at }: DueOffers): Promise<void> {
  await db.query('offers-made', OFFERS_MADE, [lp_id, settled_at]);
}
