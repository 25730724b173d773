import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, indexesOf, instant, references, usd } from './columns.ts';
import { Lp } from './lp.ts';

/** Which orders Corridor claims for an LP without a request. */
export const LpAutoClaim = defineEntity({
  name: 'LpAutoClaim',
  tableName: 'lp_auto_claim',
  indexes: indexesOf(`create index "lp_auto_claim_enabled" on "lp_auto_claim" ("lp_id") where enabled`),
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    enabled: p.boolean(),
    /** Highest USD value of an order; null: no limit. */
    max_amount_usd: usd().nullable(),
    /** Null: those for which the LP publishes a rate. */
    currencies: p.array().columnType('varchar(3)[]').nullable(),
    /** Negative if the LP accepts a loss to get orders. */
    min_profit_usd: usd().default('0'),
    updated_at: createdAt(),
    /**
     * When the LP last became able to take open orders that it could not take before: see
     * `src/market/lps/auto-claim-offers.ts`.
     */
    offers_due_at: instant().nullable(),
    /** Corridor has made all offers that were due by this time. */
    offered_at: instant().nullable(),
  },
});
export type LpAutoClaim = InferEntity<typeof LpAutoClaim>;
