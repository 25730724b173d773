import { stoppedSince } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { movedDeadlines, utcText } from './shared/moved-deadlines.ts';

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
${movedDeadlines({
  since: `least((select recorded_at from previous), ${stoppedSince('o')})`,
  // PostgreSQL evaluates this once and first: without an outage, a heartbeat reads no order.
  where: '(select stopped from previous)',
  cause: 'outage',
  reason: `'The service was unavailable after ' || ${utcText('(select recorded_at from previous)')} ||
      ' UTC; the deadline moved by as long'`,
})},
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
