import { isFinal, ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import type { Database } from '../orm.ts';
import { orderTotals } from './order-totals.ts';
import { GONE_AFTER, type Part } from './process-presence.ts';

/** What the database says of the service at one moment; ages in seconds, 0 where there is none of the kind. */
export interface ServiceFacts {
  /** Orders by status; those in which none stands included. */
  orders: Record<OrderStatus, number>;
  /** How long the order that has stood longest in each status that is no end has stood in it. */
  oldest: Partial<Record<OrderStatus, number>>;
  /** How long the oldest payment that is looked for has been looked for, by the chain; the chains with such alone. */
  oldestVerification: Record<string, number>;
  /** How long the deadline of an order has passed that is in time no longer and moves by itself. */
  overdue: number;
  webhooks: { pending: number; oldest: number };
  /** Processes that carry each part. */
  processes: Record<Part, number>;
}

interface Live {
  status: OrderStatus;
  chain: string;
  orders: number;
  oldest: number;
  /** Null where no clock runs. */
  overdue: number | null;
}

/**
 * No dearer for what has ended. The order's predicate is spelled as that of the index `orders_live`; a status begins with
 * the newest event that brought it. A webhook that was sent again on request is owed since nobody knows when.
 */
export const SERVICE_FACTS = `
  with live as (
    select o.status, o.crypto_chain as chain, count(*)::int as orders,
      extract(epoch from now() - min(entered.at))::float as oldest,
      extract(epoch from now() - min(o.timeout_at) filter (where o.frozen_ms is null))::float as overdue
    from orders o, lateral (
      select created_at as at from order_event e
      where e.order_id = o.id and e.from_status is distinct from e.status order by e.seq desc limit 1
    ) entered
    where o.status not in ('completed', 'cancelled')
    group by o.status, o.crypto_chain
  )
  select
    (select coalesce(json_agg(live), '[]') from live) as live,
    (select json_build_object('pending', count(*), 'oldest', coalesce(extract(epoch from
      now() - min(created_at) filter (where attempts_before = 0)), 0)::float)
      from webhook_delivery where state = 'pending') as webhooks,
    (select json_build_object('api', count(*) filter (where part = 'api'), 'worker', count(*) filter (where part = 'worker'))
      from process_presence where seen_at > now() - interval '${GONE_AFTER}') as processes`;

export async function serviceFacts(db: Database): Promise<ServiceFacts> {
  const [[facts], { completed, cancelled }] = await Promise.all([
    db.query<{ live: Live[] } & Pick<ServiceFacts, 'webhooks' | 'processes'>>(
      'service-facts',
      SERVICE_FACTS,
      [],
    ),
    orderTotals(db),
  ]);
  if (!facts) throw new Error('A statement without FROM gave no row');
  const { live, webhooks, processes } = facts;
  const standing = (status: OrderStatus) => live.filter((row) => row.status === status);
  const count = (status: OrderStatus) => standing(status).reduce((sum, { orders }) => sum + orders, 0);
  const oldest = (status: OrderStatus) => longest(standing(status).map((row) => row.oldest));
  return {
    orders: {
      ...(byStatus(ORDER_STATUSES, count) as Record<OrderStatus, number>),
      ...{ completed, cancelled },
    },
    oldest: byStatus(
      ORDER_STATUSES.filter((status) => !isFinal(status)),
      oldest,
    ),
    oldestVerification: Object.fromEntries(
      standing('crypto_verify_pending').map((row) => [row.chain, longest([row.oldest])]),
    ),
    overdue: longest(live.map((row) => row.overdue ?? 0)),
    webhooks,
    processes,
  };
}

/** None: 0. What a transaction that began later has written is not younger than nothing. */
const longest = (seconds: number[]) => Math.max(0, ...seconds);

const byStatus = (
  statuses: readonly OrderStatus[],
  value: (status: OrderStatus) => number,
): Partial<Record<OrderStatus, number>> =>
  Object.fromEntries(statuses.map((status) => [status, value(status)]));
