import type { FilterQuery, FindOptions } from '@mikro-orm/core';
import type { OrderStatus } from '../../domain/order-state.ts';
import { Order } from '../entities/order.ts';
import { OrderEvent, WebhookAttempt, WebhookDelivery } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

/** A webhook, the status that it tells of, and its attempts. */
export interface ListedDelivery {
  delivery: WebhookDelivery;
  status: OrderStatus;
  attempts: WebhookAttempt[];
}

/** A webhook, and whose and where to it is. */
export interface AnyDelivery extends ListedDelivery {
  agentKeyId: number;
  callbackUrl: string;
}

/** The webhooks of an order, oldest first, with the events that they tell of and all their attempts. */
export async function listDeliveries(db: Database, orderId: number): Promise<ListedDelivery[]> {
  const em = db.em();
  const deliveries = await em.find(WebhookDelivery, { order_id: orderId }, { orderBy: { seq: 'asc' } });
  return withAttempts(db, deliveries);
}

/** Anybody's webhooks. */
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
    if (!order?.callback_url)
      throw new Error(`Order ${order_id} owes webhook ${seq} but has no callback_url`);
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
    if (!status) throw new Error(`Order ${order_id} owes webhook ${seq} of an event that is not there`);
    return { delivery, status, attempts: attemptsOf.get(key(delivery)) ?? [] };
  });
}

const ordersOf = (deliveries: WebhookDelivery[]): number[] => [
  ...new Set(deliveries.map(({ order_id }) => order_id)),
];

const PENDING = `select seq from webhook_delivery where order_id = $1 and state = 'pending' order by seq`;

/** The webhooks that an order still owes, oldest first. */
export async function pendingDeliveries(db: Database, orderId: number): Promise<number[]> {
  const rows = await db.query<{ seq: number }>('webhook-pending', PENDING, [orderId]);
  return rows.map(({ seq }) => seq);
}
