import { oneOf } from '../../db/entities/columns.ts';
import { isStopped } from '../../db/incidents.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { CLOCKED, type OrderStatus } from '../../domain/order-state.ts';
import { STATE_COLUMNS, type StateRow } from '../../orders/order-state-row.ts';
import { IN_SERVICE } from '../../orders/steps/shared/deadline.ts';

/** The state of an order that its workflow should have. */
export interface ReconciledOrder extends StateRow {
  id: number;
  currency: string;
  amount_fiat: string;
  status: OrderStatus;
  /** Pending deliveries, oldest first. */
  webhooks: number[];
  /** The traceparent of the span that created the order; null: without tracing. */
  traceparent: string | null;
}

const ORDERS = `
  select o.id, o.currency, o.amount_fiat, o.traceparent, ${STATE_COLUMNS.split(', ')
    .map((column) => `o.${column}`)
    .join(', ')}, coalesce(due.webhooks, '{}') as webhooks
  from orders o
  left join (
    select order_id, array_agg(seq order by seq) as webhooks from webhook_delivery where state = 'pending' and lp_id is null group by order_id
  ) due on due.order_id = o.id`;

const NEEDING_WORKFLOW = `${ORDERS}
  where o.id in (
      select id from orders where status not in ('completed', 'cancelled')
      union select order_id from webhook_delivery where state = 'pending' and lp_id is null
    )
    and o.created_at < now() - $1::interval`;
const WINDOW = statement(
  'reconcile-window',
  `
  with lap as (
    select id from (
      (select id from orders where status not in ('completed', 'cancelled') and id > $after order by id limit $size)
      union
      (
        select order_id from webhook_delivery where state = 'pending' and lp_id is null and order_id > $after
        order by order_id limit $size
      )
    ) needing order by id limit $size
  ), urgent as (
    (select id from orders where status not in ('completed', 'cancelled') order by id desc limit $urgent)
    union (select order_id from unanswered_order order by asked_at desc limit $urgent)
  )
  select o.id, o.id in (select id from lap) as in_lap from orders o
  where o.id in (select id from lap union select id from urgent) and o.created_at < now() - $age::interval order by o.id`,
);

/**
 * The ids of at most `size` orders after the id `after` that have not ended or owe a webhook, and of those that are most likely
 * to need repair: the newest, and those that have left a request unanswered. `next`: the id after which the next window begins; 0 after
 * the last one. Orders younger than `age` are omitted.
 */
export async function windowOfOrders(
  db: Database,
  { age, after, size }: { age: string; after: number; size: number },
): Promise<{ ids: number[]; next: number }> {
  const urgent = Math.ceil(size / 10);
  const rows = await run<{ id: number; in_lap: boolean }>(db, WINDOW, { age, after, size, urgent });
  const lap = rows.filter(({ in_lap }) => in_lap).map(({ id }) => id);
  return { ids: rows.map(({ id }) => id), next: lap.length === size ? (lap.at(-1) ?? 0) : 0 };
}

const BY_ID = `${ORDERS} where o.id = any ($1)`;
const SILENT = `${ORDERS}
  where o.id in (
    select order_id from unanswered_order where asked_at > now() - $2::interval
    union (
      select due.order_id from webhook_delivery due
      where due.state = 'pending' and due.lp_id is null and due.created_at < now() - $1::interval
        and not exists (
          select from webhook_attempt made
          where made.delivery_id = any (
            select id from webhook_delivery own where own.order_id = due.order_id and own.lp_id is null
          ) and made.created_at > now() - $1::interval
        )
      order by random() limit $3
    )
    union (
      select verified.id from orders verified
      join order_event last on last.order_id = verified.id and last.seq = verified.version
      where verified.status = 'crypto_verify_pending' and last.created_at < now() - $1::interval
      order by random() limit $3
    )
  )`;
const OVERDUE = `${ORDERS} where o.timeout_at < now() - $1::interval and ${oneOf('o.status', CLOCKED)} and ${IN_SERVICE} and not ${isStopped('o')}`;

/** Orders older than `age` that have not ended or still owe a webhook. */
export const ordersNeedingWorkflow = (db: Database, age: string): Promise<ReconciledOrder[]> =>
  db.query<ReconciledOrder>('reconcile', NEEDING_WORKFLOW, [age]);

/** Orders that have not moved although their deadline passed longer than `by` ago, the service is available and no incident stops their clocks. */
export const overdueOrders = (db: Database, by: string): Promise<ReconciledOrder[]> =>
  db.query<ReconciledOrder>('reconcile-overdue', OVERDUE, [by]);

/** The time during which an unanswered request is a reason to check its order's workflow. */
const UNANSWERED_FOR = '5 minutes';
/** Many orders may wait for a receiver or a chain without a fault, so each round checks a random sample. */
const SAMPLE_SIZE = 20;

/**
 * Orders whose workflow should have acted and has not. Either it left a request unanswered recently, or nothing has
 * happened for `silence` while the order owes a webhook without an attempt or waits for its chain. Of the last two
 * kinds it returns a sample.
 */
export const silentOrders = (db: Database, silence: string): Promise<ReconciledOrder[]> =>
  db.query<ReconciledOrder>('reconcile-silent', SILENT, [silence, UNANSWERED_FOR, SAMPLE_SIZE]);

export async function ordersToReconcile(db: Database, ids: number[]): Promise<ReconciledOrder[]> {
  return ids.length === 0 ? [] : db.query<ReconciledOrder>('reconcile-by-id', BY_ID, [ids]);
}

const RECENT = `
  select id from unnest($1::bigint[]) as moved (id)
  where exists (select from orders where orders.id = moved.id and created_at > now() - $2::interval)
    or exists (select from order_event e where e.order_id = moved.id and e.created_at > now() - $2::interval)
    or exists (select from webhook_delivery d where d.order_id = moved.id and d.lp_id is null and d.finished_at > now() - $2::interval)`;

/** Those of the orders that were created, moved or finished a delivery less than `age` ago. */
export async function recentlyMoved(db: Database, ids: number[], age: string): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>('recently-moved', RECENT, [ids, age]);
  return new Set(rows.map(({ id }) => id));
}
