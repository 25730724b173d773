import type { OrderStatus } from '../../domain/order-state.ts';
import { OrderEvent, WebhookAttempt, WebhookDelivery } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

/** A webhook, the status that it tells of, and its attempts. */
export interface ListedDelivery {
  delivery: WebhookDelivery;
  status: OrderStatus;
  attempts: WebhookAttempt[];
}

/** The webhooks of an order, oldest first, with the events that they tell of and all their attempts. */
export async function listDeliveries(db: Database, orderId: number): Promise<ListedDelivery[]> {
  const em = db.em();
  const deliveries = await em.find(WebhookDelivery, { order_id: orderId }, { orderBy: { seq: 'asc' } });
  const events = await em.find(OrderEvent, { order_id: orderId }, { fields: ['seq', 'status'] });
  const attempts = await em.find(
    WebhookAttempt,
    { order_id: orderId },
    { orderBy: { seq: 'asc', attempt: 'asc' } },
  );
  const statusOf = new Map(events.map(({ seq, status }) => [seq, status]));
  return deliveries.map((delivery) => {
    const status = statusOf.get(delivery.seq);
    if (!status)
      throw new Error(`Order ${orderId} owes webhook ${delivery.seq} of an event that is not there`);
    return { delivery, status, attempts: attempts.filter(({ seq }) => seq === delivery.seq) };
  });
}

const PENDING = `select seq from webhook_delivery where order_id = $1 and state = 'pending' order by seq`;

/** The webhooks that an order still owes, oldest first. */
export async function pendingDeliveries(db: Database, orderId: number): Promise<number[]> {
  const rows = await db.query<{ seq: number }>('webhook-pending', PENDING, [orderId]);
  return rows.map(({ seq }) => seq);
}
