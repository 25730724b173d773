import type { AuditContext } from '../../db/audit-context.ts';
import type { BulkRun } from '../../db/entities/bulk.ts';
import type { Database } from '../../db/orm.ts';
import { BULK_ACTIONS, BULK_PERMISSION, type BulkOutcome } from '../../domain/bulk.ts';
import type { AdminActor } from '../../domain/order-commands.ts';
import { rolesWith } from '../../domain/permissions.ts';

/** The rows that workers write while they carry out a run. */

/** A run that may go on. `context`: who started it, for the audit. */
export interface Turn extends Pick<BulkRun, 'id' | 'action' | 'arguments' | 'reason' | 'token'> {
  created_by: AdminActor;
  context: AuditContext | null;
  /** Whether the admin who started it may still send its commands. */
  is_allowed: boolean;
}

const TAKE_TURN = `
  update bulk_run set worked_at = now()
  where id = $1 and started_at is not null and stopped_at is null and finished_at is null
  returning id, action, arguments, reason, token, created_by, context,
    created_by = 'admin:root' or exists (
      select from admin
      where 'admin:' || admin.id = created_by and is_active and (expires_at is null or expires_at > now())
        and $2::jsonb -> action ? role
    ) as is_allowed`;

/** The roles that may send the commands of each action, as JSON. */
const ALLOWED_ROLES = JSON.stringify(
  Object.fromEntries(BULK_ACTIONS.map((action) => [action, rolesWith(BULK_PERMISSION[action])])),
);

/** Undefined: nobody has started the run, or it was stopped, or it has finished. */
export async function takeTurn(db: Database, runId: number): Promise<Turn | undefined> {
  const [turn] = await db.query<Turn & Record<string, unknown>>('bulk-turn', TAKE_TURN, [
    runId,
    ALLOWED_ROLES,
  ]);
  return turn;
}

/** An order of a run that has no outcome yet. */
export interface Untreated {
  order_id: number;
  /** The version that the dry run showed. */
  version: number;
  /** Including this one. */
  attempts: number;
}

const NEXT = `
  update bulk_order set attempts = attempts + 1
  where bulk_run_id = $1 and order_id in (
    select order_id from bulk_order where bulk_run_id = $1 and outcome is null order by attempts, order_id limit $2
  )
  returning order_id, version, attempts`;

/** The next orders, those without an attempt first: an order that does not answer delays no other. */
export const nextOrders = (db: Database, runId: number, limit: number): Promise<Untreated[]> =>
  db.query<Untreated & Record<string, unknown>>('bulk-next', NEXT, [runId, limit]);

/** What became of one order. `reason`: the code of a refusal. */
export interface Treated {
  orderId: number;
  outcome: BulkOutcome;
  reason?: string;
}

const RECORD = `
  update bulk_order treated set outcome = given.outcome, reason = given.reason, treated_at = now()
  from unnest($2::bigint[], $3::varchar[], $4::varchar[]) as given (order_id, outcome, reason)
  where treated.bulk_run_id = $1 and treated.order_id = given.order_id and treated.outcome is null`;

/** Records outcomes. The first one of an order stays. */
export async function recordTreated(db: Database, runId: number, treated: Treated[]): Promise<void> {
  if (treated.length === 0) return;
  const [ids, outcomes, reasons] = [
    treated.map(({ orderId }) => orderId),
    treated.map(({ outcome }) => outcome),
    treated.map(({ reason }) => reason ?? null),
  ];
  await db.query('bulk-record', RECORD, [runId, ids, outcomes, reasons]);
}

const FINISH = `
  update bulk_run set finished_at = now()
  where id = $1 and started_at is not null and finished_at is null and (
    stopped_at is not null or not exists (select from bulk_order where bulk_run_id = $1 and outcome is null)
  )`;

/** Marks a run as finished if nothing is left to do. */
export const finishIfDone = (db: Database, runId: number): Promise<unknown> =>
  db.query('bulk-finish', FINISH, [runId]);

const PROGRESS = `
  select run.orders, (select count(*)::int from bulk_order where bulk_run_id = run.id and outcome is not null) as treated
  from bulk_run run where id = $1`;

/** How many orders a run has, and how many of them are treated. */
export async function progressOf(db: Database, runId: number): Promise<{ orders: number; treated: number }> {
  const [row] = await db.query<{ orders: number; treated: number }>('bulk-progress', PROGRESS, [runId]);
  return row ?? { orders: 0, treated: 0 };
}
