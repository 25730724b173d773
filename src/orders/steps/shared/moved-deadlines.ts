import { oneOf } from '../../../db/entities/columns.ts';
import { CLOCKED } from '../../../domain/order-state.ts';
import { snapshot } from '../../order-state-row.ts';
import type { ReasonSql } from './reason-sql.ts';

/** What has stopped clocks, in SQL. `o` is an order. */
interface Stop {
  /** When the first of its stops began. */
  since: string;
  /** A table besides `orders o`. */
  from: string;
  where: string;
  cause: 'outage' | 'incident';
  /** Of `after`, which has the order's columns and `since`. */
  reason: ReasonSql;
}

/** SQL condition: order `o` has a deadline that can move. */
export const hasDeadline = (o: string): string =>
  `${o}.timeout_at is not null and ${oneOf(`${o}.status`, CLOCKED)}`;

/**
 * So many deadlines move with one statement: with 100,000 it took longer than a statement may, and all commands on the orders
 * waited for it (`npm run bench:ab -- many-orders`).
 */
export const MOST_PER_STATEMENT = 2_000;

/** `last`: the highest id of the orders that a statement has looked at. Null: there are no more. `moved`: how many moved. */
export type Moved = { last: number | null; moved: number };

/**
 * The end of a statement, after its own CTEs: the clocks of these orders have stood still, and their deadlines move by that
 * time. It takes `$most` orders, those with the lowest ids above `$afterId`, and returns `Moved`.
 *
 * Stops may overlap: outages and incidents. Each statement moves a deadline by all the time since the first of them, up to
 * now, and `deadline_set_at` says so. So the next statement counts from there, and no time counts twice or is lost. A step
 * may set the deadline at the same moment. The lock waits for it, and the update reads the row after it. It takes the orders by
 * id, so that two such statements cannot deadlock.
 */
export const movedDeadlines = ({ since, from, where, cause, reason }: Stop): string => `stopped as (
  select o.id, ${since} as since
  from orders o, ${from}
  where o.id > $afterId and ${where} and ${hasDeadline('o')}
  order by o.id
  limit $most for update of o
),
after as (
  update orders o set
    version = o.version + 1,
    timeout_at = o.timeout_at + (now() - greatest(o.deadline_set_at, stopped.since)),
    expires_at = case when o.status = 'matched'
      then o.timeout_at + (now() - greatest(o.deadline_set_at, stopped.since)) else o.expires_at end,
    deadline_set_at = date_trunc('milliseconds', now())
  from stopped where o.id = stopped.id and o.deadline_set_at < now() and o.timeout_at is not null
  returning o.*, stopped.since
),
event as (
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot)
  select after.id, after.version, after.status, after.status, 'service', '${cause}',
    ${reason.text},
    ${reason.code},
    ${snapshot('after')}
  from after
)
select (select max(id) from stopped) as last, (select count(*)::int from after) as moved`;

/** SQL: a time in UTC for people. */
export const utcText = (time: string): string =>
  `to_char(${time} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`;
