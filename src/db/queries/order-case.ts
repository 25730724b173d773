import type { Order } from '../entities/order.ts';
import type { OrderEvent } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';
import { listEvents } from './agent-orders.ts';
import { type ListedDelivery, listDeliveries } from './order-deliveries.ts';
import { findOrder } from './orders.ts';
import { anyProcess } from './process-presence.ts';

/** All that the database knows of why an order stands where it stands. */
export interface OrderCase {
  /** Null: there is no such order. */
  order: Order | null;
  events: OrderEvent[];
  deliveries: ListedDelivery[];
  service: Service;
}

/** Whether the service is there, as its processes say in the database. */
export interface Service {
  /** The database's clock. */
  now: Date;
  api: boolean;
  worker: boolean;
  /** When its parts were last there together, where that is so long ago that no deadline passes; else null. */
  awaySince: Date | null;
  /** When a call about the order was last left without an answer, within the last hour; else null. */
  unansweredAt: Date | null;
}

const SERVICE = `
  select now() as now,
    (select beat_at from service_pulse where good_until < now()) as away_since,
    (select asked_at from unanswered_order where order_id = $1) as unanswered_at`;

/** Rejects when the database is away. */
export async function orderCase(db: Database, id: number): Promise<OrderCase> {
  const order = await findOrder(db, id);
  const service = await serviceOf(db, id);
  if (!order) return { order, events: [], deliveries: [], service };
  return { order, events: await listEvents(db, order), deliveries: await listDeliveries(db, id), service };
}

async function serviceOf(db: Database, id: number): Promise<Service> {
  const rows = await db.query<{ now: string; away_since: string | null; unanswered_at: string | null }>(
    'order-case-service',
    SERVICE,
    [id],
  );
  const row = rows[0];
  if (!row) throw new Error('the database did not tell its time');
  return {
    now: new Date(row.now),
    api: await anyProcess(db, 'api'),
    worker: await anyProcess(db, 'worker'),
    awaySince: row.away_since === null ? null : new Date(row.away_since),
    unansweredAt: row.unanswered_at === null ? null : new Date(row.unanswered_at),
  };
}
