import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts';
import { stoppedSince } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { AWAY_SINCE } from '../../db/outages.ts';
import { run, statement } from '../../db/statement.ts';
import {
  hasDeadline,
  MOST_PER_STATEMENT,
  type Moved,
  movedDeadlines,
  utcText,
} from './shared/moved-deadlines.ts';
import { reasonSql } from './shared/reason-sql.ts';

/**
 * `service_heartbeat` has one row: when the API, a worker, Temporal and the database were last available together. While this
 * time is too old, parties cannot act, so no deadline expires (`IN_SERVICE`). The first heartbeat after such an outage writes
 * down its beginning and its end, and no deadline expires until each one set before that end has moved. If a second outage begins
 * before that, the two become one: a deadline that has moved for the first then moves by the time since its turn.
 */
const RECORD = statement(
  'service-heartbeat',
  `
insert into service_heartbeat as last (id, recorded_at, good_until)
values (1, now(), now() + $toleratedMs * interval '1 millisecond')
on conflict (id) do update set
  recorded_at = excluded.recorded_at,
  good_until = excluded.good_until,
  outage_began_at = case when last.good_until < now()
    then coalesce(last.outage_began_at, last.recorded_at) else last.outage_began_at end,
  outage_ended_at = case when last.good_until < now()
    then date_trunc('milliseconds', now()) else last.outage_ended_at end
returning outage_ended_at as ended_at`,
);

/** SQL condition, with an index of the live orders: the deadline of order `o` has to move for the outage that ended then. */
const waitsForTurn = (endedAt: string): string =>
  `o.status not in ('completed', 'cancelled') and o.deadline_set_at < ${endedAt}`;

/** Moves the deadlines of some orders, and so lets their clocks run. Moves none while another worker does. */
export const SHIFT_SOME = statement(
  'service-shift-deadlines',
  `
with outage as (
  select outage_began_at as began_at, outage_ended_at as ended_at from service_heartbeat
  where outage_ended_at is not null and pg_try_advisory_xact_lock(${ADVISORY_LOCKS.shiftDeadlines})
),
${movedDeadlines({
  since: stoppedSince('o'),
  from: 'outage',
  where: waitsForTurn('outage.ended_at'),
  cause: 'outage',
  reason: reasonSql('after_outage', { since: utcText('(select began_at from outage)') }),
})}`,
);

/** Lets deadlines expire again, once all have moved for the outage that ended then and for no later one. */
const END = statement(
  'service-end-outage',
  `
update service_heartbeat set outage_began_at = null, outage_ended_at = null
where outage_ended_at = $endedAt::timestamptz and not exists (
  select from orders o
  where ${waitsForTurn('$endedAt::timestamptz')} and ${hasDeadline('o')})`,
);

const AFTER_OUTAGE = `select where ${AWAY_SINCE} is not null`;

/** Whether the next service heartbeat ends an outage or follows one, and will shift deadlines. */
export async function isAfterOutage(db: Database): Promise<boolean> {
  return (await db.query('after-outage', AFTER_OUTAGE, [])).length > 0;
}

/** How deadlines move after an outage. */
export interface Shift {
  /** How many with one statement. */
  most?: number;
  /** Whether to leave the rest to the next heartbeat, of this worker or of another one. */
  isStopping?: () => boolean;
}

/**
 * Records a service heartbeat. After a gap that is longer than tolerated, it also shifts every running deadline by the length of
 * the gap, some at a time, with a heartbeat before each statement. What a crash, another worker or a lock leaves, the
 * next call does. Returns how many deadlines it shifted.
 */
export async function recordHeartbeatAndShiftDeadlines(
  db: Database,
  toleratedMs: number,
  { most = MOST_PER_STATEMENT, isStopping = () => false }: Shift = {},
): Promise<number> {
  let moved = 0;
  for (let afterId = 0; ; ) {
    const [outage] = await run<{ ended_at: string | null }>(db, RECORD, { toleratedMs });
    const endedAt = outage?.ended_at;
    if (!endedAt || isStopping()) return moved;
    const [some] = await run<Moved>(db, SHIFT_SOME, { afterId, most });
    moved += some?.moved ?? 0;
    if (!some?.last) {
      await run(db, END, { endedAt });
      return moved;
    }
    afterId = some.last;
  }
}
