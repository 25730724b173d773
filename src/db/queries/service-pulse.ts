import { CLOCKED } from '../../domain/order-state.ts';
import { oneOf } from '../entities/columns.ts';
import type { Database } from '../orm.ts';
import { snapshot } from '../steps/perform-step.ts';

/**
 * The pulse of the service: a row that says when API, workers, Temporal and database were last there together. While
 * it has stopped, people cannot act, so no deadline passes (`IN_SERVICE` in `steps/statements.ts`).
 */

/** One beat. After a gap longer than is tolerated, every running deadline is first moved by the gap, in the same transaction. */
const BEAT = `
  with pulse as (select beat_at, good_until < now() as stopped from service_pulse for update),
  late as (
    select o.id, o.version, now() - greatest(stopped.at, entered.at) as away, stopped.at as since
    from orders o,
      lateral (select max(created_at) as at from order_event where order_id = o.id) entered,
      (select (select beat_at from pulse) as at) stopped
    -- Asked once and before all else: while the service is there, a beat looks at no order.
    where (select stopped from pulse) and o.timeout_at is not null and ${oneOf('o.status', CLOCKED)}
  ),
  moved as (
    update orders o set version = o.version + 1, timeout_at = o.timeout_at + late.away,
      expires_at = case when o.status = 'matched' then o.timeout_at + late.away else o.expires_at end
    from late where o.id = late.id and o.version = late.version
    returning o.*, late.since
  ),
  event as (
    insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
    select o.id, o.version, o.status, o.status, 'service', 'outage',
      'The service was away after ' || to_char(o.since at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') ||
      ' UTC; the deadline moved by as long', ${snapshot('o')}
    from moved o
  ),
  beat as (
    insert into service_pulse (id, beat_at, good_until) values (1, now(), now() + $1 * interval '1 millisecond')
    on conflict (id) do update set beat_at = excluded.beat_at, good_until = excluded.good_until
  )
  select count(*)::int as orders from moved`;

/** Says that the service is there, and gives how many deadlines moved because it had been away. */
export async function beat(db: Database, toleratedMs: number): Promise<number> {
  const rows = await db.query<{ orders: number }>('service-beat', BEAT, [toleratedMs]);
  return rows[0]?.orders ?? 0;
}
