import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import {
  BULK_ACTIONS,
  BULK_OUTCOMES,
  type BulkAction,
  type BulkArguments,
  type BulkOutcome,
  type BulkSelection,
  MAX_FILTER_LENGTH,
} from '../../domain/bulk.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import type { AuditContext } from '../audit-context.ts';
import { createdAt, id, indexesOf, instant, oneOf, references } from './columns.ts';
import { Order } from './order.ts';

/** One command on many orders. The dry run creates the row and its orders; nothing adds orders later. See `src/operations/bulk`. */
export const BulkRun = defineEntity({
  name: 'BulkRun',
  tableName: 'bulk_run',
  checks: [{ name: 'bulk_run_action_check', expression: oneOf('action', BULK_ACTIONS) }],
  indexes: indexesOf(
    `create index "bulk_run_unfinished" on "bulk_run" ("id") where started_at is not null and finished_at is null`,
  ),
  properties: {
    id: id(),
    action: p.string().length(32).$type<BulkAction>(),
    arguments: p.json<BulkArguments>(),
    filter: p.string().length(MAX_FILTER_LENGTH),
    reason: p.string().length(300),
    /** `admin:3` or `admin:root`. Only this admin may start the run, and is the actor of its commands. */
    created_by: p.string().length(64),
    created_at: createdAt(),
    /** From then on, the dry run is too old to start from. */
    expires_at: instant(),
    /** The ids of the run's requests depend on it, so that a restored database cannot repeat the ids of a lost run. */
    token: p.uuid().defaultRaw('gen_random_uuid()'),
    /** How many orders the dry run selected. */
    orders: p.integer(),
    selection: p.json<BulkSelection>(),
    started_at: instant().nullable(),
    /** The audit's context of the request that started it. */
    context: p.json<AuditContext>().nullable(),
    /** When a worker last took up orders of the run. */
    worked_at: instant().nullable(),
    stopped_at: instant().nullable(),
    /** `service`: the admin who started it may no longer do so. */
    stopped_by: p.string().length(64).nullable(),
    finished_at: instant().nullable(),
  },
});
export type BulkRun = InferEntity<typeof BulkRun>;

/** An order of a bulk run, as the dry run showed it. */
export const BulkOrder = defineEntity({
  name: 'BulkOrder',
  tableName: 'bulk_order',
  checks: [
    { name: 'bulk_order_status_check', expression: oneOf('status', ORDER_STATUSES) },
    { name: 'bulk_order_outcome_check', expression: oneOf('outcome', BULK_OUTCOMES) },
  ],
  indexes: indexesOf(
    `create index "bulk_order_untreated" on "bulk_order" ("bulk_run_id", "attempts", "order_id") where outcome is null`,
  ),
  properties: {
    bulk_run_id: () => references(BulkRun, 'bulk_run_id').primary(),
    order_id: () => references(Order, 'order_id').primary(),
    status: p.string().length(32).$type<OrderStatus>(),
    /** The command applies to this version of the order and no other. */
    version: p.integer(),
    /** How often a worker has taken it up. */
    attempts: p.integer().default(0),
    /** Null: not treated yet. */
    outcome: p.string().length(16).$type<BulkOutcome>().nullable(),
    /** The code of the refusal; null for other outcomes. */
    reason: p.string().length(64).nullable(),
    treated_at: instant().nullable(),
  },
});
export type BulkOrder = InferEntity<typeof BulkOrder>;
