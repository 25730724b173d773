import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { AMOUNT_PURPOSES, type AmountPurpose } from '../../domain/exact-amount.ts';
import { SCALE } from '../../domain/money.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, indexesOf, instant, oneOf, references, tokens, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** A quote that an agent may use for one payment until it expires. */
export const RateLock = defineEntity({
  name: 'RateLock',
  tableName: 'rate_lock',
  indexes: indexesOf(`create index "rate_lock_unused" on "rate_lock" ("expires_at") where order_id is null`),
  properties: {
    id: p.string().length(64).primary(),
    agent_key_id: () => references(AgentKey, 'agent_key_id'),
    lp_id: () => references(Lp, 'lp_id'),
    amount_fiat: p.decimal('string').precision(18).scale(SCALE.fiat),
    currency: p.string().length(3),
    method: p.string().length(32),
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
 * An exact amount that payers owe for one live order, one valid rate lock or one announced deposit, or that a withdrawal
 * pays out. Triggers on `orders`, `collateral_deposit` and `collateral_withdrawal` write these rows, so each of them has
 * one.
 */
export const ReservedAmount = defineEntity({
  name: 'ReservedAmount',
  tableName: 'reserved_amount',
  checks: [
    {
      name: 'reserved_amount_purpose_check',
      expression: oneOf('purpose', AMOUNT_PURPOSES),
    },
    {
      name: 'reserved_amount_holder',
      expression:
        "case when purpose = 'deposit' then num_nonnulls(order_id, rate_lock_id) = 0 and num_nonnulls(deposit_id, withdrawal_id) > 0 else deposit_id is null and num_nonnulls(order_id, rate_lock_id, withdrawal_id) = 1 end and (expires_at is not null or num_nonnulls(order_id, withdrawal_id) > 0)",
    },
  ],
  indexes: indexesOf(
    `create index "reserved_amount_expires" on "reserved_amount" ("expires_at") where expires_at is not null`,
  ),
  properties: {
    chain: p.string().length(16).$type<Chain>().primary(),
    symbol: p.string().length(16).primary(),
    /** Orders and deposits are paid at different addresses, so both may ask for the same amount. A withdrawal has both. */
    purpose: p.string().length(8).$type<AmountPurpose>().primary(),
    amount: tokens().primary(),
    /** Without a foreign key: an order's end deletes the row, or lets it expire. */
    order_id: p.bigint('number').nullable(),
    rate_lock_id: p.string().length(64).nullable(),
    /** Without a foreign key, as `order_id`. */
    deposit_id: p.bigint('number').nullable(),
    /** The newest withdrawal of the amount. `deposit_id` stays, because the hold of that announcement continues. */
    withdrawal_id: p.bigint('number').nullable(),
    /**
     * When another holder may take the row over: the end of the rate lock, or some time after the end of the order, the
     * announcement or the withdrawal. Null: the order is live, or a withdrawal is open.
     */
    expires_at: instant().nullable(),
  },
});
