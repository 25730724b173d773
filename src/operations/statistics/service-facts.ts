import { isStopped } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { GONE_AFTER, type Part } from '../../db/process-heartbeats.ts';
import { isFinal, ORDER_STATUSES, type OrderStatus } from '../../domain/order-state.ts';
import { orderTotals } from './order-totals.ts';

/** The state of the service at one moment, from the database. Ages are in seconds; 0: there is no such row. */
export interface ServiceFacts {
  /** Orders by status, including statuses without orders. */
  orders: Record<OrderStatus, number>;
  /** The longest time that an order has been in each status that is not final. */
  oldest: Partial<Record<OrderStatus, number>>;
  /** The age of the oldest unverified payment by chain, for chains that have one. */
  oldestVerification: Record<string, number>;
  /** The longest time that an order has been past its deadline without moving, although its clock runs. */
  overdue: number;
  /**
   * The longest time that an order has waited for an admin: a dispute of an order whose LP had not reported the fiat, or a
   * frozen order. Both keep an LP's collateral, and no clock ends them.
   */
  oldestForAdmin: number;
  /** The age of the oldest event that the order feed holds back, because an older transaction on the server has not ended. */
  feedDelay: number;
  webhooks: { pending: number; oldest: number };
  /** Pauses in force, by what they name. A pause of an agent in one currency counts as the agent's. */
  pauses: Record<'all' | 'currency' | 'agent', number>;
  /** Open incidents, by what is out of order. */
  incidents: Record<'currency' | 'chain', number>;
  /** Running processes by part. */
  processes: Record<Part, number>;
}

interface Live {
  status: OrderStatus;
  chain: string;
  orders: number;
  oldest: number;
  /** Null: no clock runs. */
  overdue: number | null;
  /** Null unless such an order is disputed or frozen. */
  for_admin: number | null;
}

/**
 * The cost does not grow with ended orders: the predicate is written like that of the index `orders_live`. A status
 * begins with the newest event that entered it. The age of a redelivered webhook is unknown, so it does not count.
 */
export const SERVICE_FACTS = `
  with live as (
    select o.status, o.crypto_chain as chain, count(*)::int as orders,
      extract(epoch from now() - min(entered.at))::float as oldest,
      extract(epoch from now() - min(o.timeout_at) filter (where o.frozen_ms is null and not ${isStopped('o')}))::float as overdue,
      extract(epoch from now() - min(coalesce(frozen.at, case
        when o.status = 'disputed' and entered.from_status = 'claimed' then entered.at end)))::float as for_admin
    from orders o
    cross join lateral (
      select created_at as at, from_status from order_event e
      where e.order_id = o.id and e.from_status is distinct from e.status order by e.seq desc limit 1
    ) entered
    cross join lateral (
      select max(created_at) as at from order_event e
      where o.frozen_ms is not null and e.order_id = o.id and e.cause in ('freeze', 'lost-commits')
    ) frozen
    where o.status not in ('completed', 'cancelled')
    group by o.status, o.crypto_chain
  )
  select
    (select coalesce(json_agg(live), '[]') from live) as live,
    coalesce((
      select extract(epoch from now() - created_at) from order_event where xid >= feed_horizon()
      order by xid, order_id, seq limit 1
    ), 0)::float as feed_delay,
    (select json_build_object('pending', count(*), 'oldest', coalesce(extract(epoch from
      now() - min(created_at) filter (where attempts_before = 0)), 0)::float)
      from webhook_delivery where state = 'pending' and lp_id is null) as webhooks,
    (select json_build_object(
      'all', count(*) filter (where agent_key_id is null and currency is null),
      'currency', count(*) filter (where agent_key_id is null and currency is not null),
      'agent', count(*) filter (where agent_key_id is not null)
    ) from pause) as pauses,
    (select json_build_object(
      'currency', count(*) filter (where currency is not null), 'chain', count(*) filter (where chain is not null)
    ) from incident where closed_at is null) as incidents,
    (select json_build_object('api', count(*) filter (where part = 'api'), 'worker', count(*) filter (where part = 'worker'))
      from process_heartbeat where seen_at > now() - interval '${GONE_AFTER}') as processes`;

export async function serviceFacts(db: Database): Promise<ServiceFacts> {
  const [[facts], { completed, cancelled }] = await Promise.all([
    db.query<
      { live: Live[]; feed_delay: number } & Pick<
        ServiceFacts,
        'webhooks' | 'pauses' | 'incidents' | 'processes'
      >
    >('service-facts', SERVICE_FACTS, []),
    orderTotals(db),
  ]);
  if (!facts) throw new Error('A statement without FROM gave no row');
  const { live, feed_delay, webhooks, pauses, incidents, processes } = facts;
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
    oldestForAdmin: longest(live.map((row) => row.for_admin ?? 0)),
    feedDelay: longest([feed_delay]),
    webhooks,
    pauses,
    incidents,
    processes,
  };
}

/** At least 0: a row of a later transaction would have a negative age. */
const longest = (seconds: number[]) => Math.max(0, ...seconds);

const byStatus = (
  statuses: readonly OrderStatus[],
  value: (status: OrderStatus) => number,
): Partial<Record<OrderStatus, number>> =>
  Object.fromEntries(statuses.map((status) => [status, value(status)]));
