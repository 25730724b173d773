import type { LpAutoClaim } from '../../db/entities/auto-claim.ts';
import type { Database } from '../../db/orm.ts';

export type AutoClaimTerms = Pick<
  LpAutoClaim,
  'enabled' | 'max_amount_usd' | 'currencies' | 'min_profit_usd'
>;

const SET = `
  insert into lp_auto_claim as auto (lp_id, enabled, max_amount_usd, currencies, min_profit_usd, offers_due_at)
  values ($1, $2, $3, $4, $5, case when $2 then now() end)
  on conflict (lp_id) do update set
    enabled = excluded.enabled, max_amount_usd = excluded.max_amount_usd, currencies = excluded.currencies,
    min_profit_usd = excluded.min_profit_usd, offers_due_at = excluded.offers_due_at, updated_at = now()`;

/** Replaces an LP's auto-claim configuration. If it is enabled, the worker will offer the LP the open orders. */
export async function setAutoClaim(db: Database, lpId: number, terms: AutoClaimTerms): Promise<void> {
  const { enabled, max_amount_usd, currencies, min_profit_usd } = terms;
  await db.query('auto-claim-set', SET, [lpId, enabled, max_amount_usd, currencies, min_profit_usd]);
}
