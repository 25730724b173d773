import { oneOf } from '../../../db/entities/columns.ts';
import { CLOCKED } from '../../../domain/order-state.ts';
import { snapshot } from '../../order-state-row.ts';

/** What has stopped clocks, in SQL. `o` is an order. */
interface Stop {
  /** When the first of its stops began. */
  since: string;
  /** Tables besides `orders o`. */
  from?: string;
  where: string;
  /** How many orders at most, in SQL. Default: all. */
  most?: string;
  cause: 'outage' | 'incident';
  /** Of `after`, which has the order's columns and `since`. */
  reason: string;
}

/**
 * CTEs: the clocks of these orders have stood still, and their deadlines move by that time. `after` has the moved orders.
 *
 * Stops may overlap: outages and incidents. Each statement moves a deadline by all the time since the first of them, up to
 * now, and `deadline_set_at` says so. So the next statement counts from there, and no time counts twice or is lost. A step
 * may set the deadline at the same moment. The lock waits for it, and the update reads the row after it. It takes the orders by
 * id, so that two such statements cannot deadlock.
 */
export const movedDeadlines = ({ since, from, where, most, cause, reason }: Stop): string => `stopped as (
  select o.id, ${since} as since
  from orders o${from ? `, ${from}` : ''}
  where ${where} and o.timeout_at is not null and ${oneOf('o.status', CLOCKED)}
  order by o.id
  ${most ? `limit ${most} ` : ''}for update of o
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
  insert into order_event (order_id, seq, from_status, status, actor, cause, reason, snapshot)
  select after.id, after.version, after.status, after.status, 'service', '${cause}',
    ${reason},
    ${snapshot('after')}
  from after
)`;

/** SQL: a time in UTC for people. */
export const utcText = (time: string): string =>
  `to_char(${time} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`;
