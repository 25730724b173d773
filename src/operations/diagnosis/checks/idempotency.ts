import type { Checks } from '../finding.ts';

/** Repeated requests created one thing. */
export const IDEMPOTENCY: Checks = {
  'an idempotency key stands for one order of its agent': `
    select 'key of agent ' || k.agent_key_id || ' for order ' || k.order_id as "where",
      'order ' || k.order_id || ' of agent ' || k.agent_key_id as expected,
      'order ' || coalesce(k.response ->> 'order_id', 'none') || ' of agent ' || o.agent_key_id as found
    from idempotency_key k join orders o on o.id = k.order_id
    where o.agent_key_id <> k.agent_key_id or (k.response ->> 'order_id')::bigint is distinct from k.order_id
      or k.response ->> 'payment_id' is distinct from o.payment_id`,
  'an order was made by one request, with one rate lock at most': `
    select 'order ' || order_id as "where", 'one ' || used || ' at most' as expected, count(*) || ' ' || used || 's' as found
    from (
      select order_id, 'idempotency key' as used from idempotency_key
      union all select order_id, 'rate lock' from rate_lock where order_id is not null
    ) use group by order_id, used having count(*) > 1`,
};
