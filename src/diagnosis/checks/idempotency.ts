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
  'an order was made by one request': `
    select 'order ' || order_id as "where", 'one idempotency key at most' as expected, count(*) || ' keys' as found
    from idempotency_key group by order_id having count(*) > 1`,
  'a rate lock priced one order': `
    select 'order ' || order_id as "where", 'one rate lock at most' as expected, count(*) || ' rate locks' as found
    from rate_lock where order_id is not null group by order_id having count(*) > 1`,
};
