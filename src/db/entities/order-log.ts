import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { DELIVERY_STATES, type DeliveryState } from '../../domain/delivery-state.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import { AgentKey } from './agent-key.ts';
import { createdAt, instant, oneOf, references } from './columns.ts';
import { Order } from './order.ts';

/** One transition of an order; append-only. `seq` is the order's version after it. */
export const OrderEvent = defineEntity({
  name: 'OrderEvent',
  tableName: 'order_event',
  checks: [{ name: 'order_event_status_check', expression: oneOf('status', ORDER_STATUSES) }],
  indexes: [
    { name: 'order_event_feed', properties: ['xid', 'order_id', 'seq'] },
    {
      name: 'order_event_time',
      expression: `create index "order_event_time" on "order_event" using brin ("created_at") with (autosummarize = on)`,
    },
  ],
  properties: {
    order_id: () => references(Order, 'order_id').primary(),
    seq: p.integer().primary(),
    from_status: p.string().length(32).$type<OrderStatus>().nullable(),
    status: p.string().length(32).$type<OrderStatus>(),
    /** `agent:3`, `lp:7`, `admin` or `service`. */
    actor: p.string().length(64),
    cause: p.string().length(64),
    reason: p.string().length(500).nullable(),
    /** The whitelisted columns of the row as this transition left it: the `data` of its webhook. */
    snapshot: p.json<Record<string, unknown>>(),
    /** The transaction that wrote it: its place in the feed. */
    xid: p.string().columnType('xid8').defaultRaw('feed_place()'),
    created_at: createdAt(),
  },
});

/** What came of a request that was sent to an order's workflow: how a signal answers. */
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

/** Why somebody asked an order to move. Kept here, since what people write does not belong into Temporal. */
export const RequestNote = defineEntity({
  name: 'RequestNote',
  tableName: 'request_note',
  indexes: [{ name: 'request_note_created_at', properties: ['created_at'] }],
  properties: {
    request_id: p.uuid().primary(),
    reason: p.string().length(500),
    created_at: createdAt(),
  },
});

/** A payment request that may come again. Scoped to the agent key. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
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

/** A settlement or deposit transaction, used once: the primary key is the promise. */
export const ChainTransaction = defineEntity({
  name: 'ChainTransaction',
  tableName: 'chain_transaction',
  indexes: [{ name: 'chain_transaction_order', properties: ['order_id'] }],
  properties: {
    chain: p.string().length(16).primary(),
    /** Normalised: lower case, without `0x`. */
    tx_hash: p.string().length(128).primary(),
    order_id: () => references(Order, 'order_id').nullable(),
    deposit_id: p.bigint('number').nullable(),
    created_at: createdAt(),
  },
});

/** A webhook owed for an order event; written in the transition's own transaction. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  checks: [{ name: 'webhook_delivery_state_check', expression: oneOf('state', DELIVERY_STATES) }],
  indexes: [
    {
      name: 'webhook_delivery_pending',
      expression: `create index "webhook_delivery_pending" on "webhook_delivery" ("order_id") where state = 'pending'`,
    },
    {
      name: 'webhook_delivery_exhausted',
      expression: `create index "webhook_delivery_exhausted" on "webhook_delivery" ("id") where state = 'exhausted'`,
    },
  ],
  properties: {
    order_id: () => references(Order, 'order_id').primary(),
    seq: p.integer().primary(),
    /** What the outside calls it by. */
    id: p.bigint('number').autoincrement().unique(),
    state: p.string().length(16).$type<DeliveryState>().default('pending'),
    /** The exact bytes, fixed before the first attempt. */
    body: p.text().nullable(),
    attempts: p.integer().default(0),
    /** Attempts that were over when it was last asked to be sent again. */
    attempts_before: p.integer().default(0),
    created_at: createdAt(),
    finished_at: instant().nullable(),
  },
});

/** One POST of a webhook. */
export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempt',
  properties: {
    order_id: p.bigint('number').primary(),
    seq: p.integer().primary(),
    attempt: p.integer().primary(),
    /** HTTP status of the receiver; null when it gave none. */
    status_code: p.integer().nullable(),
    error: p.string().length(500).nullable(),
    duration_ms: p.integer(),
    created_at: createdAt(),
  },
});
export type WebhookDelivery = InferEntity<typeof WebhookDelivery>;
export type WebhookAttempt = InferEntity<typeof WebhookAttempt>;
export type OrderEvent = InferEntity<typeof OrderEvent>;
