import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { DELIVERY_STATES, type DeliveryState } from '../../domain/delivery-state.ts';
import { type LpWebhookEvent, WARNING_EVENTS, WRITTEN_EVENTS } from '../../domain/lp-webhook.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import { VERDICT_KINDS, type Verdict } from '../../domain/payment-verdict.ts';
import { MAX_ANSWER_CHARACTERS } from '../../domain/receiver-answer.ts';
import { MAX_REASON_LENGTH, type ReasonCode, type RequestReason } from '../../domain/status-reasons.ts';
import type { AuditContext } from '../audit-context.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, indexesOf, instant, oneOf, references } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** One transition of an order. Only masking changes it. `seq` is the order's version after it. */
export const OrderEvent = defineEntity({
  name: 'OrderEvent',
  tableName: 'order_event',
  checks: [
    { name: 'order_event_status_check', expression: oneOf('status', ORDER_STATUSES) },
    { name: 'order_event_reason_check', expression: '(reason is null) = (reason_code is null)' },
  ],
  indexes: [
    { name: 'order_event_feed', properties: ['xid', 'order_id', 'seq'] },
    ...indexesOf(
      // Events are only appended, so blocks follow time. This index has a few pages and adds almost no cost to a write.
      `create index "order_event_time" on "order_event" using brin ("created_at") with (autosummarize = on)`,
    ),
  ],
  properties: {
    order_id: () => references(Order, 'order_id').primary(),
    seq: p.integer().primary(),
    from_status: p.string().length(32).$type<OrderStatus>().nullable(),
    status: p.string().length(32).$type<OrderStatus>(),
    /** `agent:3`, `lp:7`, `admin:3`, `admin:root` or `service`. */
    actor: p.string().length(64),
    cause: p.string().length(64),
    reason: p.string().length(MAX_REASON_LENGTH).nullable(),
    reason_code: p.string().length(40).$type<ReasonCode>().nullable(),
    /** The columns of the row that parties may see, after this transition: the `data` of its webhook. */
    snapshot: p.json<Record<string, unknown>>(),
    /** The position in the feed, from the id of the transaction that wrote the event. */
    xid: p.string().columnType('xid8').defaultRaw('feed_place()'),
    created_at: createdAt(),
  },
});

/** The outcome of a request to an order's workflow. The API reads it to answer the client. */
export const OrderOutcome = defineEntity({
  name: 'OrderOutcome',
  tableName: 'order_outcome',
  indexes: [{ name: 'order_outcome_created_at', properties: ['created_at'] }],
  properties: {
    request_id: p.uuid().primary(),
    order_id: () => references(Order, 'order_id'),
    /** `applied`, `already`, or the code of the refusal. */
    result: p.string().length(64),
    status: p.string().length(32).$type<OrderStatus>(),
    created_at: createdAt(),
  },
});

/** The reason that a caller gave with a request. Text that people write never reaches Temporal. */
export const RequestNote = defineEntity({
  name: 'RequestNote',
  tableName: 'request_note',
  indexes: [
    { name: 'request_note_created_at', properties: ['created_at'] },
    { name: 'request_note_order', properties: ['order_id', 'created_at'] },
  ],
  properties: {
    request_id: p.uuid().primary(),
    order_id: p.bigint('number'),
    /** The admin who gave the command, for the audit: see `src/db/audit-context.ts`. */
    context: p.json<AuditContext>().nullable(),
    reason: p.string().length(MAX_REASON_LENGTH),
    code: p.string().length(40).$type<RequestReason['code']>(),
    created_at: createdAt(),
  },
});

/** A payment request that the agent may repeat. Scoped to the agent key. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  indexes: [{ name: 'idempotency_key_order', properties: ['order_id'] }],
  properties: {
    agent_key_id: () => references(AgentKey, 'agent_key_id').primary(),
    key: p.string().length(255).primary(),
    /** SHA-256 of the validated body. */
    request_hash: p.blob().$type<Buffer>(),
    order_id: () => references(Order, 'order_id'),
    /** The first response, its recipient masked. */
    response: p.json<Record<string, unknown>>(),
    created_at: createdAt(),
  },
});

/** The result of the last chain check of an order's transaction, for each verified version of the order. */
export const PaymentVerdict = defineEntity({
  name: 'PaymentVerdict',
  tableName: 'payment_verdict',
  checks: [{ name: 'payment_verdict_kind_check', expression: oneOf('kind', [...VERDICT_KINDS, 'replaced']) }],
  properties: {
    order_id: () => references(Order, 'order_id').primary(),
    version: p.integer().primary(),
    chain: p.string().length(16),
    /** Normalised: lower case, without `0x`. */
    tx_hash: p.string().length(128),
    /** `replaced`: the agent replaced the transaction, which had not been found. */
    kind: p.string().length(16).$type<Verdict['kind'] | 'replaced'>(),
    seen: p.string().length(500).nullable(),
    created_at: createdAt(),
  },
});

/** A verified transaction of an order, a deposit or a payout. The primary key guarantees that it pays once. */
export const ChainTransaction = defineEntity({
  name: 'ChainTransaction',
  tableName: 'chain_transaction',
  // Rejecting a transaction finds it by its order.
  indexes: [{ name: 'chain_transaction_order', properties: ['order_id'] }],
  properties: {
    chain: p.string().length(16).primary(),
    /** Normalised: lower case, without `0x`. */
    tx_hash: p.string().length(128).primary(),
    order_id: () => references(Order, 'order_id').nullable(),
    deposit_id: p.bigint('number').nullable(),
    withdrawal_id: p.bigint('number').nullable(),
    posting_id: p.bigint('number').nullable(),
    created_at: createdAt(),
  },
});

/**
 * A webhook for an order event, or about an LP's terms, addresses or webhooks. The step writes the agent's webhook in its own transaction.
 * Webhooks to LPs have `lp_id`; the readers of the feed and of the terms write them.
 */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  checks: [
    { name: 'webhook_delivery_state_check', expression: oneOf('state', DELIVERY_STATES) },
    { name: 'webhook_delivery_receiver_check', expression: '(lp_id is null) = (lp_event is null)' },
    {
      name: 'webhook_delivery_order_check',
      expression: `case when ${oneOf('lp_event', WRITTEN_EVENTS)} then order_id is null and seq is null and body is not null else order_id is not null and seq is not null end`,
    },
    {
      name: 'webhook_delivery_url_check',
      expression: `(url is not null) = coalesce(${oneOf('lp_event', WARNING_EVENTS)}, false)`,
    },
  ],
  indexes: indexesOf(
    `create unique index "webhook_delivery_event" on "webhook_delivery" ("order_id", "seq") where lp_id is null`,
    `create unique index "webhook_delivery_lp_event" on "webhook_delivery" ("order_id", "seq", "lp_id", "lp_event") where lp_id is not null`,
    `create index "webhook_delivery_lp_pending" on "webhook_delivery" ("lp_id", "order_id", "id") where state = 'pending' and lp_id is not null`,
    `create index "webhook_delivery_warning_pending" on "webhook_delivery" ("lp_id", "id") where state = 'pending' and url is not null`,
    `create index "webhook_delivery_lp_finished" on "webhook_delivery" ("finished_at") where lp_id is not null`,
    `create index "webhook_delivery_pending" on "webhook_delivery" ("order_id") where state = 'pending' and lp_id is null`,
    `create index "webhook_delivery_exhausted" on "webhook_delivery" ("id") where state = 'exhausted'`,
  ),
  properties: {
    /** The id that receivers and the API use. */
    id: p.bigint('number').autoincrement().primary(),
    /** Null: the webhook reports an event about the LP itself. */
    order_id: () => references(Order, 'order_id').nullable(),
    seq: p.integer().nullable(),
    /** The LP that receives it; null: the order's agent. */
    lp_id: () => references(Lp, 'lp_id').nullable(),
    lp_event: p.string().length(32).$type<LpWebhookEvent>().nullable(),
    /** Who receives a warning of a stolen key. Null: the present URL of the agent's order or of the LP. */
    url: p.string().length(2048).nullable(),
    state: p.string().length(16).$type<DeliveryState>().default('pending'),
    /**
     * The exact bytes. They are fixed before the first attempt; those about terms, when the row is written. Null after
     * masking.
     */
    body: p.text().nullable(),
    attempts: p.integer().default(0),
    /** Attempts before the last redelivery request. */
    attempts_before: p.integer().default(0),
    /**
     * No attempt begins before this time: the last attempt, or the pause after it, may not have ended. Null: an attempt
     * may begin.
     */
    next_attempt_at: instant().nullable(),
    created_at: createdAt(),
    finished_at: instant().nullable(),
  },
});

/** One POST of a webhook. */
export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempt',
  checks: [
    { name: 'webhook_attempt_answer_check', expression: `char_length(answer) <= ${MAX_ANSWER_CHARACTERS}` },
  ],
  properties: {
    delivery_id: p.bigint('number').primary(),
    attempt: p.integer().primary(),
    /** HTTP status of the receiver; null if there was no response. */
    status_code: p.integer().nullable(),
    error: p.string().length(500).nullable(),
    /**
     * The beginning of what the agent's server answered, or `•••` if that could name the order's recipient. Null: there was no
     * answer, an LP was the receiver, or the order is masked.
     */
    answer: p.text().nullable(),
    duration_ms: p.integer(),
    created_at: createdAt(),
  },
});
export type WebhookDelivery = InferEntity<typeof WebhookDelivery>;
export type WebhookAttempt = InferEntity<typeof WebhookAttempt>;
export type OrderEvent = InferEntity<typeof OrderEvent>;
