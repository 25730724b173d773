import type { Order } from '../db/entities/order.ts';
import type { OrderEvent } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import { pausesOf } from '../db/pauses.ts';
import { anyProcess } from '../db/process-heartbeats.ts';
import { findOrder } from '../orders/find-order.ts';
import { listEvents } from '../orders/list-orders.ts';
import { type ListedDelivery, listDeliveries } from '../webhooks/list-deliveries.ts';

/** Everything in the database about an order's state and its possible blockers. */
export interface OrderCase {
  /** Null: there is no such order. */
  order: Order | null;
  events: OrderEvent[];
  deliveries: ListedDelivery[];
  /** The reasons of the pauses that stop its claim, if it waits for one. */
  pauses: string[];
  service: Service;
}

/** The availability of the service, from its heartbeats. Times are ISO 8601. */
export interface Service {
  /** The database's clock. */
  now: string;
  api: boolean;
  worker: boolean;
  /** The last service heartbeat, if it is so old that no deadline expires; otherwise null. */
  awaySince: string | null;
  /** When a request about the order last got no answer, if within the last hour; otherwise null. */
  unansweredAt: string | null;
}

const SERVICE = `
  select now() as now,
    (select recorded_at from service_heartbeat where good_until < now()) as "awaySince",
    (select asked_at from unanswered_order where order_id = $1) as "unansweredAt"`;

/** Rejects when the database does not answer. */
export async function orderCase(db: Database, id: number): Promise<OrderCase> {
  const order = await findOrder(db, id);
  const service = await serviceOf(db, id);
  if (!order) return { order, events: [], deliveries: [], pauses: [], service };
  const [events, deliveries] = [await listEvents(db, order), await listDeliveries(db, id)];
  return { order, events, deliveries, pauses: await claimPauses(db, order), service };
}

const PAUSES = pausesOf('$1', '$2');

async function claimPauses(db: Database, { status, agent_key_id, currency }: Order): Promise<string[]> {
  if (status !== 'matched') return [];
  const pauses = await db.query<{ reason: string }>('order-case-pauses', PAUSES, [agent_key_id, currency]);
  return pauses.map(({ reason }) => reason);
}

async function serviceOf(db: Database, id: number): Promise<Service> {
  type Times = Pick<Service, 'now' | 'awaySince' | 'unansweredAt'>;
  const [times] = await db.query<Times>('order-case-service', SERVICE, [id]);
  if (!times) throw new Error('A statement without FROM returned no row');
  const iso = (time: string | null) => (time === null ? null : new Date(time).toISOString());
  return {
    now: new Date(times.now).toISOString(),
    api: await anyProcess(db, 'api'),
    worker: await anyProcess(db, 'worker'),
    awaySince: iso(times.awaySince),
    unansweredAt: iso(times.unansweredAt),
  };
}
