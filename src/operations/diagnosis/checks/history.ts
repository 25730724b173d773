import { CLOCKED, isFinal, ORDER_STATUSES, TRANSITIONS } from '../../../domain/order-state.ts';
import { VIEW_COLUMNS, type ViewColumn } from '../../../domain/order-view.ts';
import type { Checks } from '../finding.ts';
import { literals } from './sql.ts';

/** Each transition of the state machine, as an event records it. */
const MOVES = [
  ...TRANSITIONS.flatMap(({ from, trigger, by, to, escalation }) =>
    [to, ...(escalation ? [escalation.to] : [])].flatMap((end) =>
      // An event of an automatic claim names the LP as its actor.
      (trigger === 'autoClaim' ? ['lp'] : by).map((asker) => ({
        ...{ from, end, asker },
        cause: trigger === 'autoClaim' ? 'auto-claim' : trigger,
      })),
    ),
  ),
  // Not in the table: after an outage or an incident, the service moved the deadline.
  ...CLOCKED.flatMap((status) =>
    ['outage', 'incident'].map((cause) => ({ from: status, end: status, cause, asker: 'service' })),
  ),
  // Not in the table: the database lost commits of the order.
  ...ORDER_STATUSES.filter((status) => !isFinal(status)).map((status) => ({
    ...{ from: status, end: status, cause: 'lost-commits', asker: 'service' },
  })),
];
const MOVE_ROWS = MOVES.map(({ from, end, cause, asker }) => `(${literals([from, cause, asker, end])})`);

/** The types that the text in a snapshot is cast to; text by default. */
const READ_AS: Record<string, string> = { number: 'numeric', decimal: 'numeric', time: 'timestamptz' };
/** For each column of a snapshot: its value in event `e` and in row `o`, and whether the two are the same. */
const KEPT = (Object.keys(VIEW_COLUMNS) as ViewColumn[])
  // The upload of a receipt is not a step and has no event.
  .filter((column) => column !== 'receipt_url')
  .map((column) => {
    const kept = `e.snapshot ->> '${column}'`;
    const same = `(${kept})::${READ_AS[VIEW_COLUMNS[column]] ?? 'text'} is not distinct from o.${column}`;
    return `('${column}', ${kept}, o.${column}::text, ${same})`;
  });

/** No request caused these events, so they have no outcome. */
const UNASKED = `cause in ('outage', 'incident', 'lost-commits')`;
/** Outcomes are pruned after a day, so only younger orders are compared with them. */
const OUTCOMES_KEPT = `interval '23 hours'`;

/** Orders move as the state machine allows, and rows agree with their events. */
export const HISTORY: Checks = {
  'every event is a transition of the table': `
    with move ("from", cause, asker, "to") as (values ${MOVE_ROWS.join(', ')})
    select 'order ' || e.order_id || ', event ' || e.seq as "where", 'a transition of the table' as expected,
      concat_ws(' ', e.from_status, 'to', e.status, 'by', e.cause, 'of', e.actor) as found
    from order_event e
    where case when e.seq = 1
      then (e.from_status is null and e.status = 'matched' and e.cause = 'pay' and e.actor like 'agent:%') is not true
      else not exists (
        select from move where move."from" = e.from_status and move."to" = e.status and move.cause = e.cause
          and move.asker = split_part(e.actor, ':', 1)
      ) end`,
  'an event begins where the one before it ended': `
    select 'order ' || order_id || ', event ' || seq as "where", coalesce(before, 'nothing') as expected,
      coalesce(from_status, 'nothing') as found
    from (
      select *, lag(status) over (partition by order_id order by seq) as before from order_event
    ) e
    where before is distinct from from_status`,
  // Lost commits leave a gap before the event that reports them.
  'events are numbered without gaps': `
    select 'order ' || order_id as "where", count(*) || ' events, to number ' || count(*) + sum(lost) as expected,
      count(*) || ' events, from number ' || min(seq) || ' to ' || max(seq) as found
    from (
      select order_id, seq, case cause when 'lost-commits' then seq - 1 - lag(seq) over (partition by order_id order by seq) else 0 end as lost
      from order_event
    ) e
    group by order_id having min(seq) <> 1 or max(seq) <> count(*) + sum(lost)`,
  'a row is what its last event says': `
    select 'order ' || o.id as "where",
      coalesce(e.status || ', version ' || e.seq, 'an event') as expected,
      o.status || ', version ' || o.version as found
    from orders o left join lateral (
      select status, seq from order_event where order_id = o.id order by seq desc limit 1
    ) e on true
    where (e.status, e.seq) is distinct from (o.status, o.version)`,
  'a row holds what its last event kept of it': `
    select 'order ' || o.id || ', ' || kept.name as "where", coalesce(kept.recorded, 'nothing') as expected,
      coalesce(kept.held, 'nothing') as found
    from orders o
    join order_event e on e.order_id = o.id and e.seq = o.version,
    lateral (values ${KEPT.join(', ')}) kept (name, recorded, held, same)
    where not kept.same`,
  'an end has its time, and what has not ended has none': `
    select 'order ' || id || ', ' || status as "where",
      case status when 'completed' then 'completed_at alone' when 'cancelled' then 'cancelled_at alone' else 'neither' end as expected,
      concat_ws(' and ', case when completed_at is not null then 'completed_at' end,
        case when cancelled_at is not null then 'cancelled_at' end) as found
    from orders
    where (completed_at is not null) <> (status = 'completed') or (cancelled_at is not null) <> (status = 'cancelled')`,
  'each transition that was asked for has one outcome': `
    select 'order ' || o.id as "where", e.asked || ' outcomes' as expected, coalesce(r.applied, 0) || ' outcomes' as found
    from orders o
    join (
      select order_id, count(*) filter (where seq > 1 and not (${UNASKED})) as asked from order_event group by order_id
    ) e on e.order_id = o.id
    left join (
      select order_id, count(*) as applied from order_outcome where result = 'applied' group by order_id
    ) r on r.order_id = o.id
    where o.created_at > now() - ${OUTCOMES_KEPT} and e.asked <> coalesce(r.applied, 0)`,
};
