import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { SCALE } from '../../domain/money.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import type { BoundRecipientCheck } from '../../domain/recipient-check.ts';
import { MAX_REASON_LENGTH, type ReasonCode } from '../../domain/status-reasons.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, id, indexesOf, instant, oneOf, references, tokens, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { User } from './user.ts';

/**
 * An order: the row that every query reads. Only `src/orders` writes it. After its creation, only `src/orders/steps` changes
 * it, except for the URL of its latest receipt (`record-receipt.ts`) and the masking of personal data (`src/operations/retention`).
 */
export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  checks: [
    { name: 'orders_status_check', expression: oneOf('status', ORDER_STATUSES) },
    {
      name: 'orders_status_reason_check',
      expression: '(status_reason is null) = (status_reason_code is null)',
    },
    {
      name: 'orders_amounts_positive',
      expression: 'amount_fiat > 0 and amount_usd > 0 and amount_crypto > 0 and fee_usd >= 0',
    },
    {
      name: 'orders_masked_when_ended',
      expression: `masked_at is null or (status in ('completed', 'cancelled') and recipient = '•••')`,
    },
    {
      name: 'orders_owner_known',
      expression: `status in ('matched', 'cancelled') or (lp_id is not null and lp_receive_address is not null and collateral_locked is not null)`,
    },
  ],
  indexes: [
    { name: 'orders_agent', properties: ['agent_key_id', 'id'] },
    { name: 'orders_lp', properties: ['lp_id', 'id'] },
    // A block range index would cost less to maintain, but in a measurement it read half of the table.
    { name: 'orders_created', properties: ['created_at'] },
    { name: 'orders_user', properties: ['user_id', 'id'] },
    ...indexesOf(
      `create index "orders_open" on "orders" ("id") where status = 'matched'`,
      `create index "orders_agent_live" on "orders" ("agent_key_id") where status not in ('completed', 'cancelled')`,
      `create index "orders_live" on "orders" ("id") where status not in ('completed', 'cancelled')`,
      // By the spelling that all spellings of a hash become.
      `create index "orders_tx_hash" on "orders" ((regexp_replace(lower(trim(user_crypto_tx_hash)), '^0x', '')), "id") where user_crypto_tx_hash is not null`,
      // The ended orders whose personal data may have to be masked, in the order in which they ended.
      `create index "orders_unmasked" on "orders" ((coalesce(completed_at, cancelled_at)), "id") where masked_at is null and status in ('completed', 'cancelled')`,
      // Few orders have a failed claim, and each LP sees its own.
      `create index "orders_excluded_lps" on "orders" using gin ("excluded_lp_ids") where excluded_lp_ids <> '{}'`,
    ),
  ],
  properties: {
    id: id(),
    payment_id: p.string().length(64).unique(),
    agent_key_id: () => references(AgentKey, 'agent_key_id'),
    user_id: () => references(User, 'user_id'),
    /** The quoted LP until a claim, then the owner. */
    lp_id: () => references(Lp, 'lp_id').nullable(),
    type: p.string().length(16).default('payout'),

    amount_fiat: p.decimal('string').precision(18).scale(SCALE.fiat),
    currency: p.string().length(3),
    rate_usd: p.decimal('string').precision(20).scale(SCALE.rate),
    spread_bps: p.integer(),
    amount_usd: usd(),
    fee_usd: usd(),
    amount_crypto: tokens(),
    crypto_symbol: p.string().length(16),
    crypto_chain: p.string().length(16).$type<Chain>(),

    recipient: p.string().length(128),
    recipient_name: p.string().length(200).nullable(),
    method: p.string().length(32),
    /** The method by which LPs' terms are found: `method`, or `*` in a currency without a corridor, which takes any text. */
    corridor_method: p.string().length(32),
    /** The code of the mobile network or bank, if the agent named one. */
    institution: p.string().length(32).nullable(),
    /** The fields of the recipient by name: personal data, like `recipient`. Null for a currency without a corridor. */
    recipient_details: p.json<Record<string, string>>().nullable(),
    /** A copy of the check that the payment named. */
    recipient_check: p.json<BoundRecipientCheck>().nullable(),
    callback_url: p.string().length(2048).nullable(),
    receipt_url: p.string().length(512).nullable(),

    status: p.string().length(32).$type<OrderStatus>(),
    /** Explains the order's status to people. Its code, of `STATUS_REASONS`, does to programs. */
    status_reason: p.string().length(MAX_REASON_LENGTH).nullable(),
    status_reason_code: p.string().length(40).$type<ReasonCode>().nullable(),
    /** Number of the last `order_event`. Every step names the version that it expects. */
    version: p.integer().default(1),
    lp_receive_address: p.string().length(128).nullable(),
    /** XRPL only: part of the receive address. */
    destination_tag: p.bigint('number').nullable(),
    /** USD locked from the owner's collateral. An ended order keeps the value as a record. */
    collateral_locked: usd().nullable(),
    /** Fiat reserved from the float of the owner's terms. Null: Corridor does not count the owner's float. */
    float_reserved: p.decimal('string').precision(18).scale(SCALE.fiat).nullable(),
    /** The owner's own rate when it claimed. Null: it had none that held. */
    claim_rate_usd: p.decimal('string').precision(20).scale(SCALE.rate).nullable(),
    user_crypto_tx_hash: p.string().length(128).nullable(),
    /** USD of the locked collateral that an admin slashed when resolving a dispute. */
    slashed_usd: usd().nullable(),
    reoffers: p.integer().default(0),
    rejections: p.integer().default(0),
    replacements: p.integer().default(0),
    /** Normalised hashes of transactions that turned out not to be the payment. */
    rejected_tx_hashes: p.array().columnType('varchar(128)[]').default([]),
    excluded_lp_ids: p
      .array((i) => Number(i))
      .columnType('bigint[]')
      .default([]),

    expires_at: instant(),
    /** The deadline of the present stage. While an incident stops the clock, it is the one from before. */
    timeout_at: instant().nullable(),
    /** When `timeout_at` was last set or moved: the clock has counted until then. */
    deadline_set_at: instant().defaultRaw('now()'),
    /** Milliseconds that each stage of this order takes, in the sequence of `STAGES`. */
    stage_ms: p.array((i) => Number(i)).columnType('bigint[]'),
    /** Milliseconds left when an admin stopped the stage's clock. */
    frozen_ms: p.bigint('number').nullable(),
    created_at: createdAt(),
    completed_at: instant().nullable(),
    cancelled_at: instant().nullable(),
    /** When the personal data was removed: see `src/operations/retention`. Null: it is still there. */
    masked_at: instant().nullable(),
    /** W3C Trace Context: the span of the request that created the order; null without tracing. */
    traceparent: p.string().length(55).nullable(),
  },
});
export type Order = InferEntity<typeof Order>;
