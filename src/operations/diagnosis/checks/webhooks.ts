import { MAX_ATTEMPTS } from '../../../domain/delivery-state.ts';
import type { Checks } from '../finding.ts';

/** The events that the agent gets a webhook for. */
const OWED = `
  select e.order_id, e.seq, e.status from order_event e join orders o on o.id = e.order_id
  where o.callback_url is not null and e.from_status is not null and e.status <> e.from_status`;

/** The webhook that a finding concerns. Webhooks about terms have no order. */
const NAMED = `coalesce('order ' || d.order_id || ', webhook ' || d.seq, 'webhook msg_' || d.id) as "where"`;

/** Every change of status is sent to the order's callback URL. */
export const WEBHOOKS: Checks = {
  'every change of status has a webhook, and nothing else': `
    select 'order ' || coalesce(o.order_id, d.order_id) || ', event ' || coalesce(o.seq, d.seq) as "where",
      case when o.seq is null then 'no webhook' else 'a webhook' end as expected,
      case when d.seq is null then 'none' else 'a webhook, ' || d.state end as found
    from (${OWED}) o full join (select * from webhook_delivery where lp_id is null) d using (order_id, seq)
    where o.seq is null or d.seq is null`,
  'a delivered webhook was accepted, an exhausted one failed at every attempt': `
    select ${NAMED},
      case d.state when 'delivered' then 'an attempt that was answered 2xx'
        else '${MAX_ATTEMPTS} attempts that all failed' end as expected,
      d.attempts || ' attempts, the last ones answered ' || coalesce(a.answers, 'by nobody') as found
    from webhook_delivery d left join lateral (
      select string_agg(coalesce(status_code::text, 'nothing'), ', ' order by attempt) as answers,
        count(*) as recorded, coalesce(bool_or(status_code between 200 and 299), false) as taken
      from webhook_attempt a
      where a.delivery_id = d.id and a.attempt > d.attempts_before
    ) a on true
    -- A warning with a URL of its own is given up unsent if no secret is left that could sign it.
    where d.state <> 'pending' and not (d.url is not null and d.state = 'exhausted' and d.attempts = 0) and (
      a.taken <> (d.state = 'delivered') or a.recorded <> d.attempts - d.attempts_before or a.recorded = 0
      or d.finished_at is null or (d.state = 'exhausted' and a.recorded < ${MAX_ATTEMPTS})
    )`,
  'a webhook that was sent says what its event says': `
    select 'order ' || d.order_id || ', webhook ' || d.seq as "where", o.status as expected,
      coalesce(d.body::json ->> 'status', 'no body') as found
    from webhook_delivery d join (${OWED}) o using (order_id, seq)
    where d.attempts > 0 and d.lp_id is null
      and not (d.body is null and exists (select from orders masked where masked.id = d.order_id and masked.masked_at is not null))
      and (d.body::json ->> 'status' is distinct from o.status
      or (d.body::json ->> 'order_id')::bigint is distinct from d.order_id)`,
};
