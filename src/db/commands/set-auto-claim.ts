import { LpAutoClaim } from '../entities/auto-claim.ts';
import type { Database } from '../orm.ts';

export type AutoClaimTerms = Pick<
  LpAutoClaim,
  'enabled' | 'max_amount_usd' | 'currencies' | 'min_profit_usd'
>;

/** Replaces an LP's auto-claim configuration. Switched on, the open orders are due to be offered. */
export async function setAutoClaim(db: Database, lpId: number, terms: AutoClaimTerms): Promise<void> {
  const now = new Date();
  const offers_due_at = terms.enabled ? now : null;
  await db.em().upsert(LpAutoClaim, { lp_id: lpId, ...terms, updated_at: now, offers_due_at });
}

export interface DueOffers {
  lp_id: number;
  offers_due_at: string;
}

const OFFERS_DUE = `
  select lp_id, offers_due_at from lp_auto_claim
  where offers_due_at < now() - $1::interval and enabled order by offers_due_at limit 20`;

/** LPs that switched auto-claim on at least `age` ago, and whose offers are not known to be made. */
export const offersDue = (db: Database, age: string): Promise<DueOffers[]> =>
  db.query<DueOffers>('offers-due', OFFERS_DUE, [age]);

const OFFERS_MADE = `update lp_auto_claim set offers_due_at = null where lp_id = $1 and offers_due_at = $2`;

/** Notes that the offers have been made, unless the LP has changed its configuration since. */
export async function offersMade(db: Database, { lp_id, offers_due_at }: DueOffers): Promise<void> {
  await db.query('offers-made', OFFERS_MADE, [lp_id, offers_due_at]);
}
