import type { Incident } from '../../db/entities/incident.ts';
import { stoppedSince, stopsClockOf } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { DomainError } from '../../domain/errors.ts';
import { offersBecomeDue } from '../../market/lps/auto-claim-offers.ts';
import {
  hasDeadline,
  MOST_PER_STATEMENT,
  type Moved,
  movedDeadlines,
  utcText,
} from './shared/moved-deadlines.ts';
import { reasonSql } from './shared/reason-sql.ts';

/** The statement reads the incident as open, so it is among those that stop the clock. */
const SINCE = stoppedSince('o');
/**
 * SQL condition, with an index of the live orders: the clock of order `o` stands still for `incident`. A deadline that had
 * passed before the incident began stays.
 */
const STOOD_STILL = `o.status not in ('completed', 'cancelled') and ${stopsClockOf('incident', 'o')}
  and greatest(o.deadline_set_at, ${SINCE}) < o.timeout_at`;
const IS_CLOSING = 'incident.id = $id and incident.closed_at is null and incident.closing_at is not null';

const BEGIN = statement(
  'incident-begin-closing',
  `update incident set closing_at = coalesce(closing_at, date_trunc('milliseconds', now()))
   where id = $id and closed_at is null and ($openedBy::varchar is null or opened_by = $openedBy)
   returning id`,
);

const REASON = reasonSql('after_incident', {
  scope: "coalesce(chain, concat_ws(' by ', currency, method))",
  from: utcText('opened_at'),
  to: utcText('closing_at'),
  text: 'reason',
});

/** Moves the deadlines of some orders, by the time lost, and so lets their clocks run. */
export const MOVE_SOME = statement(
  'incident-move-deadlines',
  `
with ${movedDeadlines({
    since: SINCE,
    from: 'incident',
    where: `${IS_CLOSING} and ${STOOD_STILL}`,
    cause: 'incident',
    reason: { text: `(select ${REASON.text} from incident where id = $id)`, code: REASON.code },
  })}`,
);

/** Closes it once no clock stands still for it, and makes auto-claim try the open orders again. */
const END = statement(
  'incident-close',
  `
with closed as (
  update incident set closed_at = now(), closed_by = $closedBy
  where ${IS_CLOSING} and not exists (
    select from orders o where ${STOOD_STILL} and ${hasDeadline('o')})
  returning *
),
${offersBecomeDue('select lp_id from lp_auto_claim where exists (select from closed)')}
select closed.* from closed`,
);

const MOST_ROUNDS = 10;
const STILL_CLOSING =
  'The incident is not closed yet: orders have come to wait for its end again and again. Repeat the same call.';

/** How to close an incident. */
export interface HowToClose {
  /** Close it only if this actor has opened it: an admin may have taken it over meanwhile. Default: that does not matter. */
  openedBy?: string;
  /** How many deadlines one statement moves. */
  most?: number;
}

/** A closed incident, and how many deadlines its closing has moved. */
export type ClosedIncident = Incident & { moved: number };

/**
 * Closes an open incident. First it moves the deadline of each order whose clock stood still for it, by the time lost, some orders
 * at a time; if it fails in between, the incident is open, and a repeated call moves the rest. `closedBy`: an actor, such as
 * `admin:3`. Undefined: there is no such incident, or it is closed, or somebody has opened it again meanwhile, or it is not that of
 * `openedBy`. The workflows learn the new deadlines from the reconciler, or when they try the old ones.
 */
export async function closeIncident(
  db: Database,
  id: number,
  closedBy: string,
  { openedBy, most = MOST_PER_STATEMENT }: HowToClose = {},
): Promise<ClosedIncident | undefined> {
  const begun = await run(db, BEGIN, { id, openedBy: openedBy ?? null });
  if (begun.length === 0) return undefined;
  let moved = 0;
  // An order that was locked may have come to wait for the end only after its turn.
  for (let round = 0; round < MOST_ROUNDS && (await isClosing(db, id)); round++) {
    for (let afterId: number | null = 0; afterId !== null; ) {
      const rows: Moved[] = await run<Moved>(db, MOVE_SOME, { id, afterId, most });
      afterId = rows[0]?.last ?? null;
      moved += rows[0]?.moved ?? 0;
    }
    const [closed] = await run<Incident & Record<string, unknown>>(db, END, { id, closedBy });
    if (closed) return { ...closed, moved };
  }
  if (await isClosing(db, id)) throw new DomainError('unavailable', STILL_CLOSING, { retryAfter: 1 });
  return undefined;
}

const isClosing = async (db: Database, id: number): Promise<boolean> =>
  (await run(db, CLOSING, { id })).length > 0;
const CLOSING = statement('incident-is-closing', `select from incident where ${IS_CLOSING}`);
