import type { Incident } from '../../db/entities/incident.ts';
import { stoppedSince, stopsClockOf } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { offersBecomeDue } from '../../lps/auto-claim-offers.ts';
import { movedDeadlines, utcText } from './shared/moved-deadlines.ts';

/** SQL: when an outage of the service began that has not ended; see `shift-deadlines.ts`. Null: there is none. */
const OUTAGE_SINCE = '(select recorded_at from service_heartbeat where good_until < now())';
/** The statement reads the incident as open, so it is among those that stop the clock. */
const SINCE = `least(${OUTAGE_SINCE}, ${stoppedSince('o')})`;

/**
 * Closes an incident. In the same statement it moves the deadline of each order whose clock stood still for it, by the time
 * lost, and makes auto-claim try the open orders again. A deadline that had passed before the incident began stays.
 */
export const CLOSE_INCIDENT = statement(
  'incident-close',
  `
with closed as (
  update incident set closed_at = now(), closed_by = $closedBy where id = $id and closed_at is null returning *
),
${movedDeadlines({
  since: SINCE,
  from: 'closed',
  where: `${stopsClockOf('closed', 'o')} and o.status not in ('completed', 'cancelled')
    and greatest(o.deadline_set_at, ${SINCE}) < o.timeout_at`,
  cause: 'incident',
  reason: `(
      select 'Incident of ' || coalesce(chain, concat_ws(' by ', currency, method)) || ' from ' || ${utcText('opened_at')} ||
        ' to ' || ${utcText('closed_at')} || ' UTC: ' || reason || '. The deadline moved by the time lost'
      from closed
    )`,
})},
${offersBecomeDue('select lp_id from lp_auto_claim where exists (select from closed)')}
select closed.*, (select count(*)::int from after) as moved from closed`,
);

/** A closed incident, and how many deadlines its closing has moved. */
export type ClosedIncident = Incident & { moved: number };

/**
 * Closes an open incident. `closedBy`: an actor, such as `admin:3`. Undefined: there is no such incident, or it is closed.
 * The workflows learn the new deadlines from the reconciler, or when they try the old ones.
 */
export async function closeIncident(
  db: Database,
  id: number,
  closedBy: string,
): Promise<ClosedIncident | undefined> {
  const [closed] = await run<ClosedIncident & Record<string, unknown>>(db, CLOSE_INCIDENT, { id, closedBy });
  return closed;
}
