import type { Database } from '../../db/orm.ts';
import { isOfRevokedAgent } from '../../db/revoked-agent.ts';
import type { OrderStatus } from '../../domain/order-state.ts';
import { orderTotals } from './order-totals.ts';

/** The number of orders in a status, and since when the oldest of them has not moved. */
export interface Standing {
  status: OrderStatus;
  count: number;
  /** As the database writes it. */
  oldest: string | null;
}

/** Written like the predicate of the index `orders_live`, so that the planner uses it. */
const LIVE = `
  select o.status, count(*) as count, min(e.created_at) as oldest
  from orders o join order_event e on e.order_id = o.id and e.seq = o.version
  where o.status not in ('completed', 'cancelled') group by o.status`;

/** For each status with orders. Ended orders are only counted. */
export async function standingOrders(db: Database): Promise<Standing[]> {
  const [live, { completed, cancelled }] = await Promise.all([
    db.query<Standing & Record<string, unknown>>('overview-orders', LIVE, []),
    orderTotals(db),
  ]);
  return [
    ...live,
    { status: 'completed', count: completed, oldest: null },
    { status: 'cancelled', count: cancelled, oldest: null },
  ];
}

/** Pending webhooks, and what waits for an admin. */
export interface Backlog {
  /** Webhooks of agents. */
  pending: number;
  oldestPending: string | null;
  /** Of agents and of LPs. */
  exhausted: number;
  pendingLps: number;
  requestedWithdrawals: number;
  /** Orders under way whose agent key is revoked. */
  revokedAgentOrders: number;
  frozenOrders: number;
}

const BACKLOG = `
  select p.pending, p."oldestPending",
    (select count(*) from webhook_delivery where state = 'exhausted') as exhausted,
    (select count(*) from lp where status = 'pending') as "pendingLps",
    (select count(*) from collateral_withdrawal where status = 'requested') as "requestedWithdrawals",
    (select count(*) from orders o where ${isOfRevokedAgent('o')}) as "revokedAgentOrders",
    (select count(*) from orders o where o.status not in ('completed', 'cancelled') and o.frozen_ms is not null) as "frozenOrders"
  from (
    select count(*) as pending, min(created_at) as "oldestPending" from webhook_delivery where state = 'pending' and lp_id is null
  ) p`;

export async function backlog(db: Database): Promise<Backlog> {
  const [row] = await db.query<Backlog & Record<string, unknown>>('overview-backlog', BACKLOG, []);
  if (!row) throw new Error('A count gave no row');
  return row;
}
