import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { SCALE } from '../../domain/money.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, instant, references, tokens, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** A quote that an agent may use for one payment until it expires. */
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
    amount_crypto: tokens(),
    crypto_symbol: p.string().length(16),
    crypto_chain: p.string().length(16).$type<Chain>(),
    expires_at: instant(),
    /** The order that used it. */
    order_id: () => references(Order, 'order_id').nullable(),
    created_at: createdAt(),
  },
});
export type RateLock = InferEntity<typeof RateLock>;

/**
 * An exact amount that one live order, or one rate lock that still holds, asks payers for. Triggers on `orders` write and
 * delete the rows of orders, so no live order is without its own.
 */
export const ReservedAmount = defineEntity({
  name: 'ReservedAmount',
  tableName: 'reserved_amount',
  checks: [
    {
      name: 'reserved_amount_holder',
      expression:
        'num_nonnulls(order_id, rate_lock_id) = 1 and (rate_lock_id is null) = (expires_at is null)',
    },
  ],
  indexes: [
    {
      name: 'reserved_amount_expires',
      expression: `create index "reserved_amount_expires" on "reserved_amount" ("expires_at") where expires_at is not null`,
    },
  ],
  properties: {
    chain: p.string().length(16).$type<Chain>().primary(),
    symbol: p.string().length(16).primary(),
    amount: tokens().primary(),
    /** Without a foreign key: an order's end deletes the row. */
    order_id: p.bigint('number').nullable(),
    rate_lock_id: p.string().length(64).nullable(),
    /** The end of the rate lock. From then on, another holder may take the row over. */
    expires_at: instant().nullable(),
  },
});
