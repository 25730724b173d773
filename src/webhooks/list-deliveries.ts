import type { FilterQuery, FindOptions } from '@mikro-orm/core';
import { Order } from '../db/entities/order.ts';
import { OrderEvent, WebhookAttempt, WebhookDelivery } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import type { OrderStatus } from '../domain/order-state.ts';

/** A webhook, the order status that it reports, and its attempts. */
export interface ListedDelivery {
  delivery: WebhookDelivery;
  status: OrderStatus;
  attempts: WebhookAttempt[];
}

/** A webhook with its agent key and its receiver. */
export interface AnyDelivery extends ListedDelivery {
  agentKeyId: number;
  callbackUrl: string;
}

/** The webhooks of an order, oldest first, with the status that each reports and all attempts. */
export async function listDeliveries(db: Database, orderId: number): Promise<ListedDelivery[]> {
  const em = db.em();
  const deliveries = await em.find(WebhookDelivery, { order_id: orderId }, { orderBy: { seq: 'asc' } });
  return withAttempts(db, deliveries);
}

/** Webhooks of all agents. */
export async function findDeliveries(
  db: Database,
  where: FilterQuery<WebhookDelivery>,
  options: Pick<FindOptions<WebhookDelivery>, 'orderBy' | 'limit'>,
): Promise<AnyDelivery[]> {
  const deliveries = await db.em().find(WebhookDelivery, where, options);
  const [listed, orders] = await Promise.all([
    withAttempts(db, deliveries),
    db
      .em()
      .find(Order, { id: { $in: ordersOf(deliveries) } }, { fields: ['id', 'agent_key_id', 'callback_url'] }),
  ]);
  const orderOf = new Map(orders.map((order) => [order.id, order]));
  return listed.map((each) => {
    const { order_id, seq } = each.delivery;
    const order = orderOf.get(order_id);
    if (!order?.callback_url) throw new Error(`Order ${order_id} has webhook ${seq} but no callback_url`);
    return { ...each, agentKeyId: order.agent_key_id, callbackUrl: order.callback_url };
  });
}

async function withAttempts(db: Database, deliveries: WebhookDelivery[]): Promise<ListedDelivery[]> {
  const em = db.em();
  const of = { order_id: { $in: ordersOf(deliveries) } };
  const events = await em.find(OrderEvent, of, { fields: ['order_id', 'seq', 'status'] });
  const attempts = await em.find(WebhookAttempt, of, { orderBy: { seq: 'asc', attempt: 'asc' } });
  const key = ({ order_id, seq }: { order_id: number; seq: number }) => `${order_id}/${seq}`;
  const statusOf = new Map(events.map((event) => [key(event), event.status]));
  const attemptsOf = Map.groupBy(attempts, key);
  return deliveries.map((delivery) => {
    const { order_id, seq } = delivery;
    const status = statusOf.get(key(delivery));
    if (!status) throw new Error(`Webhook ${seq} of order ${order_id} has no event`);
    return { delivery, status, attempts: attemptsOf.get(key(delivery)) ?? [] };
  });
}

const ordersOf = (deliveries: WebhookDelivery[]): number[] => [
  ...new Set(deliveries.map(({ order_id }) => order_id)),
];

const PENDING = `select seq from webhook_delivery where order_id = $1 and state = 'pending' order by seq`;

/** The webhooks that Corridor still has to deliver for an order, oldest first. */
export async function pendingDeliveries(db: Database, orderId: number): Promise<number[]> {
  const rows = await db.query<{ seq: number }>('webhook-pending', PENDING, [orderId]);
  return rows.map(({ seq }) => seq);
}
