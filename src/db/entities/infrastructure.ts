import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, references, usd } from './columns.ts';
import { Lp } from './lp.ts';

/** A transaction on the simulated chain. */
export const SandboxTransaction = defineEntity({
  name: 'SandboxTransaction',
  tableName: 'sandbox_transaction',
  properties: {
    chain: p.string().length(16).primary(),
    tx_hash: p.string().length(128).primary(),
    symbol: p.string().length(16),
    to: p.string().length(128),
    amount: p.decimal('string').precision(36).scale(18),
    /** When the simulated chain counts it as final. */
    final_at: instant(),
    created_at: createdAt(),
  },
});

/** The times of a caller's recent requests: an exact sliding window that all API processes share. */
export const RateWindow = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_window',
  properties: {
    key: p.string().length(200).primary(),
    hits: p.array().columnType('timestamptz[]'),
    updated_at: createdAt().index(),
  },
});

/** A connection to the order feed; see `queries/socket-slots.ts`. */
export const SocketSlot = defineEntity({
  name: 'SocketSlot',
  tableName: 'socket_slot',
  indexes: [{ name: 'socket_slot_holder', properties: ['holder'] }],
  properties: {
    lp_id: () => references(Lp, 'lp_id').primary(),
    slot: p.integer().primary(),
    holder: p.uuid(),
    seen_at: createdAt(),
  },
});

/** A process that says, every few seconds, that its part of the service is there. */
export const ProcessPresence = defineEntity({
  name: 'ProcessPresence',
  tableName: 'process_presence',
  properties: { id: p.uuid().primary(), part: p.string().length(16), seen_at: createdAt() },
});

/** When all parts of the service were last there together. One row; see `queries/service-pulse.ts`. */
export const ServicePulse = defineEntity({
  name: 'ServicePulse',
  tableName: 'service_pulse',
  checks: [{ name: 'service_pulse_single', expression: 'id = 1' }],
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    beat_at: instant(),
    /** Later than this without another beat, the service was away. */
    good_until: instant(),
  },
});

/** Of the orders that have ended, as far as the feed of events has been counted. One row; see `queries/order-totals.ts`. */
export const OrderTotals = defineEntity({
  name: 'OrderTotals',
  tableName: 'order_totals',
  checks: [{ name: 'order_totals_single', expression: 'id = 1' }],
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    xid: p.string().columnType('xid8'),
    order_id: p.bigint('number'),
    seq: p.integer(),
    completed: p.bigint('number'),
    cancelled: p.bigint('number'),
    fees_usd: usd(),
  },
});

/** What the reconciler says of itself to other processes. One row; see `queries/reconciler-progress.ts`. */
export const ReconcilerProgress = defineEntity({
  name: 'ReconcilerProgress',
  tableName: 'reconciler_progress',
  checks: [{ name: 'reconciler_progress_single', expression: 'id = 1' }],
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    last_run_at: instant(),
    /** Ever since the installation began. */
    started_workflows: p.bigint('number'),
  },
});

/** An order whose workflow has left somebody without an answer, and when it last did. */
export const UnansweredOrder = defineEntity({
  name: 'UnansweredOrder',
  tableName: 'unanswered_order',
  properties: { order_id: p.bigint('number').primary().autoincrement(false), asked_at: createdAt() },
});
