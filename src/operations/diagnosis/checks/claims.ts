import type { Checks } from '../finding.ts';
import { UNSETTLED } from './sql.ts';

/** At most one LP wins an order each time it is offered. */
export const CLAIMS: Checks = {
  'one claim wins each time an order is offered': `
    select 'order ' || order_id || ', offered the ' || offer || '. time' as "where", 'one claim at most' as expected,
      count(*) || ' claims by ' || string_agg(actor, ' and ' order by seq) as found
    from (
      select *, count(*) filter (where status = 'matched' and from_status is distinct from 'matched')
        over (partition by order_id order by seq) as offer
      from order_event
    ) e
    where status = 'claimed' and from_status is distinct from 'claimed'
    group by order_id, offer having count(*) > 1`,
  'an order belongs to the LP that claimed it last, and is paid to where that claim said': `
    select 'order ' || o.id as "where", coalesce(claimed.holder, 'nobody') as expected,
      coalesce(held.holder, 'nobody') as found
    from orders o cross join lateral (
      select 'lp:' || o.lp_id || ' at ' || o.lp_receive_address || coalesce(' with tag ' || o.destination_tag, '') as holder
    ) held left join lateral (
      select actor || ' at ' || (snapshot ->> 'lp_receive_address')
        || coalesce(' with tag ' || (snapshot ->> 'destination_tag'), '') as holder
      from order_event where order_id = o.id and cause in ('claim', 'auto-claim') order by seq desc limit 1
    ) claimed on true
    where o.status in (${UNSETTLED}, 'completed') and claimed.holder is distinct from held.holder`,
  'an LP does not get an order again after a failed claim': `
    select 'order ' || o.id as "where", 'a claim of another LP than ' || o.lp_id as expected, 'LP ' || o.lp_id as found
    from orders o where o.lp_id = any (o.excluded_lp_ids) and o.status in (${UNSETTLED}, 'completed')`,
  'the reserved float of terms is that of open claims': `
    select 'LP ' || lp_id || ', ' || currency || ' by ' || method as "where", coalesce(o.reserved, 0)::text as expected,
      coalesce(term.float_reserved::text, 'no terms') as found
    from lp_term term full join (
      select lp_id, currency, corridor_method as method, sum(float_reserved) as reserved
      from orders where status in (${UNSETTLED}) and float_reserved is not null group by lp_id, currency, corridor_method
    ) o using (lp_id, currency, method)
    where coalesce(term.float_reserved, -1) <> coalesce(o.reserved, 0)`,
};
