import { CLOCKED, type OrderStatus } from '../../domain/order-state.ts';
import { oneOf } from '../entities/columns.ts';
import type { Database } from '../orm.ts';
import { STATE_COLUMNS, type StateRow } from '../steps/perform-step.ts';
import { IN_SERVICE } from '../steps/statements.ts';

/** An order as its workflow should know it. */
export interface ReconciledOrder extends StateRow {
  id: number;
  currency: string;
  amount_fiat: string;
  status: OrderStatus;
  /** Deliveries still owed, oldest first. */
  webhooks: number[];
  /** Of the span that created it; null where no traces were taken. */
  traceparent: string | null;
}

const ORDERS = `
  select o.id, o.currency, o.amount_fiat, o.traceparent, ${STATE_COLUMNS.split(', ')
    .map((column) => `o.${column}`)
    .join(', ')}, coalesce(due.webhooks, '{}') as webhooks
  from orders o
  left join (
    select order_id, array_agg(seq order by seq) as webhooks from webhook_delivery where state = 'pending' group by order_id
  ) due on due.order_id = o.id`;

const NEEDING_WORKFLOW = `${ORDERS}
  where o.id in (
      select id from orders where status not in ('completed', 'cancelled')
      union select order_id from webhook_delivery where state = 'pending'
    )
    and o.created_at < now() - $1::interval`;
const BY_ID = `${ORDERS} where o.id = any ($1)`;
/** A deadline always makes an order move; until it does, only those who ask notice that it cannot. */
const SILENT = `${ORDERS}
  where o.id in (
    select order_id from unanswered_order where asked_at > now() - $2::interval
    union (
      select due.order_id from webhook_delivery due
      where due.state = 'pending' and due.created_at < now() - $1::interval
        and not exists (
          select from webhook_attempt made
          where made.order_id = due.order_id and made.created_at > now() - $1::interval
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
const OVERDUE = `${ORDERS} where o.timeout_at < now() - $1::interval and ${oneOf('o.status', CLOCKED)} and ${IN_SERVICE}`;

/** Orders that have not ended or still owe a webhook, but for those that were created less than `age` ago. */
export const ordersNeedingWorkflow = (db: Database, age: string): Promise<ReconciledOrder[]> =>
  db.query<ReconciledOrder>('reconcile', NEEDING_WORKFLOW, [age]);

/** Orders whose deadline has passed by more than `by`, and nothing has come of it though the service is there. */
export const overdueOrders = (db: Database, by: string): Promise<ReconciledOrder[]> =>
  db.query<ReconciledOrder>('reconcile-overdue', OVERDUE, [by]);

/** For how long an unanswered call is a reason to look at its order's workflow. */
const UNANSWERED_FOR = '5 minutes';
/** Webhooks and payments may be waited for for long, and very many of them, without anything being wrong. */
const MOST_OF_A_KIND = 20;

/**
 * Orders that were asked in vain of late; and, other ones each time, some of those that have not moved for `silence`
 * where it is their workflow's turn: they owe a webhook and have not tried any, or wait for their chain.
 */
export const silentOrders = (db: Database, silence: string): Promise<ReconciledOrder[]> =>
  db.query<ReconciledOrder>('reconcile-silent', SILENT, [silence, UNANSWERED_FOR, MOST_OF_A_KIND]);

export async function ordersToReconcile(db: Database, ids: number[]): Promise<ReconciledOrder[]> {
  return ids.length === 0 ? [] : db.query<ReconciledOrder>('reconcile-by-id', BY_ID, [ids]);
}

const RECENT = `
  select id from unnest($1::bigint[]) as moved (id)
  where exists (select from orders where orders.id = moved.id and created_at > now() - $2::interval)
    or exists (select from order_event e where e.order_id = moved.id and e.created_at > now() - $2::interval)
    or exists (select from webhook_delivery d where d.order_id = moved.id and d.finished_at > now() - $2::interval)`;

/** Those of the orders that something became of less than `age` ago. */
export async function recentlyMoved(db: Database, ids: number[], age: string): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>('recently-moved', RECENT, [ids, age]);
  return new Set(rows.map(({ id }) => id));
}
