import { oneOf } from '../../db/entities/columns.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { CLOCKED } from '../../domain/order-state.ts';
import { snapshot } from '../order-state-row.ts';

/**
 * `service_heartbeat` has one row: when the API, a worker, Temporal and the database were last available together.
 * While this time is too old, parties cannot act, so no deadline expires (`IN_SERVICE`).
 */
export const SHIFT_DEADLINES = statement(
  'service-heartbeat',
  `
with previous as (
  select recorded_at, good_until < now() as stopped from service_heartbeat for update
),
late as (
  select o.id, o.version, now() - greatest(stopped.at, entered.at) as outage, stopped.at as since
  from orders o,
    lateral (select max(created_at) as at from order_event where order_id = o.id) entered,
    (select (select recorded_at from previous) as at) stopped
  -- PostgreSQL evaluates this once and first: without an outage, a heartbeat reads no order.
  where (select stopped from previous) and o.timeout_at is not null and ${oneOf('o.status', CLOCKED)}
),
after as (
  update orders o set
    version = o.version + 1,
    timeout_at = o.timeout_at + late.outage,
    expires_at = case when o.status = 'matched' then o.timeout_at + late.outage else o.expires_at end
  from late where o.id = late.id and o.version = late.version
  returning o.*, late.since
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
  select after.id, after.version, after.status, after.status, 'service', 'outage',
    'The service was unavailable after ' || to_char(after.since at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') ||
      ' UTC; the deadline moved by as long',
    ${snapshot('after')}
  from after
),
heartbeat as (
  insert into service_heartbeat (id, recorded_at, good_until)
  values (1, now(), now() + $toleratedMs * interval '1 millisecond')
  on conflict (id) do update set recorded_at = excluded.recorded_at, good_until = excluded.good_until
)
select count(*)::int as orders from after`,
);

const AFTER_OUTAGE = 'select from service_heartbeat where good_until < now()';

/** Whether the next service heartbeat ends an outage and will shift deadlines. */
export async function isAfterOutage(db: Database): Promise<boolean> {
  return (await db.query('after-outage', AFTER_OUTAGE, [])).length > 0;
}

/**
 * Records a service heartbeat. If the previous one is older than tolerated, the same statement first shifts every
 * running deadline by the length of the gap. Returns how many deadlines it shifted.
 */
export async function recordHeartbeatAndShiftDeadlines(db: Database, toleratedMs: number): Promise<number> {
  const [row] = await run<{ orders: number }>(db, SHIFT_DEADLINES, { toleratedMs });
  return row?.orders ?? 0;
}
