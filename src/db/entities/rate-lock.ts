import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { SCALE } from '../../domain/money.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, instant, references, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** A quote that an agent may pay by until it expires, once. */
export const RateLock = defineEntity({
  name: 'RateLock',
  tableName: 'rate_lock',
  indexes: [
    {
      name: 'rate_lock_unused',
      expression: `create index "rate_lock_unused" on "rate_lock" ("expires_at") where order_id is null`,
    },
  ],
  properties: {
    id: p.string().length(64).primary(),
    agent_key_id: () => references(AgentKey, 'agent_key_id'),
    lp_id: () => references(Lp, 'lp_id'),
    amount_fiat: p.decimal('string').precision(18).scale(SCALE.fiat),
    currency: p.string().length(3),
    rate_usd: p.decimal('string').precision(20).scale(SCALE.rate),
    spread_bps: p.integer(),
    amount_usd: usd(),
    fee_usd: usd(),
    amount_crypto: p.decimal('string').precision(24).scale(SCALE.crypto),
    crypto_symbol: p.string().length(16),
    crypto_chain: p.string().length(16).$type<Chain>(),
    expires_at: instant(),
    /** The order that used it. */
    order_id: () => references(Order, 'order_id').nullable(),
    created_at: createdAt(),
  },
});
export type RateLock = InferEntity<typeof RateLock>;
