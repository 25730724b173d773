import { defineEntity, p } from '@mikro-orm/core';
import type { Holding } from '../../domain/reserves.ts';
import { AgentKey } from './agent-key.ts';
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
    destination_tag: p.bigint('number').nullable(),
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

/** The requests of an agent key in its present minute: see `src/http/access/agent-requests.ts`. */
export const AgentRequestCount = defineEntity({
  name: 'AgentRequestCount',
  tableName: 'agent_request_count',
  properties: {
    agent_key_id: () => references(AgentKey, 'agent_key_id').primary(),
    requests: p.integer(),
    until: p.datetime().columnType('timestamptz'),
  },
});

/** A connection to the order feed; see `src/notify/feed/socket-slots.ts`. */
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

/** One row for each process, which updates it every few seconds. */
export const ProcessHeartbeat = defineEntity({
  name: 'ProcessHeartbeat',
  tableName: 'process_heartbeat',
  properties: { id: p.uuid().primary(), part: p.string().length(16), seen_at: createdAt() },
});

/** When all parts of the service were last available together. One row; see `src/orders/steps/shift-deadlines.ts`. */
export const ServiceHeartbeat = defineEntity({
  name: 'ServiceHeartbeat',
  tableName: 'service_heartbeat',
  checks: [
    { name: 'service_heartbeat_single', expression: 'id = 1' },
    {
      name: 'service_heartbeat_outage',
      expression: '(outage_began_at is null) = (outage_ended_at is null)',
    },
  ],
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    recorded_at: instant(),
    /** If the next heartbeat comes later than this, the service was unavailable. */
    good_until: instant(),
    /** The last heartbeat before an outage that some deadlines have not moved for yet. Null: there is none. */
    outage_began_at: instant().nullable(),
    /** The first heartbeat after it. A deadline that was set since then does not move. */
    outage_ended_at: instant().nullable(),
  },
});

/** Whether the node of a real chain answers the workers. One row for each chain; see `src/operations/upkeep/chain-contact.ts`. */
export const ChainContact = defineEntity({
  name: 'ChainContact',
  tableName: 'chain_contact',
  properties: {
    chain: p.string().length(16).primary(),
    /** When a worker last asked it. */
    asked_at: instant(),
    /** When the first question went without an answer after the last that had one. Null: the last one had one. */
    silent_since: instant().nullable(),
  },
});

/** Totals over ended orders, up to a position in the feed of events. One row; see `src/operations/statistics/order-totals.ts`. */
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

/** The reconciler's progress, for the metrics of all processes. One row; see `src/operations/upkeep/reconciler-progress.ts`. */
export const ReconcilerProgress = defineEntity({
  name: 'ReconcilerProgress',
  tableName: 'reconciler_progress',
  checks: [{ name: 'reconciler_progress_single', expression: 'id = 1' }],
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    last_run_at: instant(),
    /** Since the installation was set up. */
    started_workflows: p.bigint('number'),
  },
});

/** The last comparison of the reserves with what LPs are owed. One row; see `src/operations/upkeep/reserve-check.ts`. */
export const ReserveCheck = defineEntity({
  name: 'ReserveCheck',
  tableName: 'reserve_check',
  checks: [{ name: 'reserve_check_single', expression: 'id = 1' }],
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    checked_at: instant(),
    /** After this time the result is unknown. */
    good_until: instant(),
    owed: p.decimal('string').precision(24).scale(6),
    withdrawing: p.decimal('string').precision(24).scale(6),
    holdings: p.json<Holding[]>(),
    missing_since: instant().nullable(),
    unexplained_since: instant().nullable(),
  },
});

/** An order whose workflow did not answer a request in time, and when that last happened. */
export const UnansweredOrder = defineEntity({
  name: 'UnansweredOrder',
  tableName: 'unanswered_order',
  properties: { order_id: p.bigint('number').primary().autoincrement(false), asked_at: createdAt() },
});
