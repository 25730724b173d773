import { UNSETTLED_STATUSES } from '../domain/order-state.ts';
import type { Checks } from './breach.ts';

const UNSETTLED = UNSETTLED_STATUSES.map((status) => `'${status}'`).join(', ');

/** Each time that an order is offered, at most one LP wins it. */
export const CLAIMS: Checks = {
  'one claim wins each time that an order is offered': `
    select 'order ' || order_id || ', offered the ' || offer || '. time' as "where", 'one claim at most' as expected,
      count(*) || ' claims by ' || string_agg(actor, ' and ' order by seq) as found
    from (
      select *, count(*) filter (where status = 'matched' and from_status is distinct from 'matched')
        over (partition by order_id order by seq) as offer
      from order_event
    ) e
    where status = 'claimed' and from_status is distinct from 'claimed'
    group by order_id, offer having count(*) > 1`,
  'who holds an order is who claimed it last': `
    select 'order ' || o.id as "where", coalesce(e.actor, 'nobody') as expected, coalesce('lp:' || o.lp_id, 'nobody') as found
    from orders o left join lateral (
      select actor from order_event where order_id = o.id and cause in ('claim', 'auto-claim') order by seq desc limit 1
    ) e on true
    where o.status in (${UNSETTLED}, 'completed') and e.actor is distinct from 'lp:' || o.lp_id`,
  'an order is paid to where its claim said': `
    select 'order ' || o.id as "where", coalesce(e.address, 'an address') as expected,
      coalesce(o.lp_receive_address, 'none') as found
    from orders o join lateral (
      select snapshot ->> 'lp_receive_address' as address from order_event
      where order_id = o.id and cause in ('claim', 'auto-claim') order by seq desc limit 1
    ) e on true
    where o.status in (${UNSETTLED}, 'completed') and e.address is distinct from o.lp_receive_address`,
  'an LP that let an order down does not get it again': `
    select 'order ' || o.id as "where", 'a claim of another LP than ' || o.lp_id as expected, 'LP ' || o.lp_id as found
    from orders o where o.lp_id = any (o.excluded_lp_ids) and o.status in (${UNSETTLED}, 'completed')`,
};
