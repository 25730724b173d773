import type { FilterQuery, FindOptions } from '@mikro-orm/core';
import { LpWebhook } from '../db/entities/lp-webhook.ts';
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

/** A webhook with the order's agent key and the receiver, which is '' for an LP that has turned its webhooks off. */
export interface AnyDelivery extends ListedDelivery {
  agentKeyId: number;
  callbackUrl: string;
}

/** The webhooks of an order, oldest first, with the status that each reports and all attempts. */
export async function listDeliveries(db: Database, orderId: number): Promise<ListedDelivery[]> {
  const em = db.em();
  const deliveries = await em.find(
    WebhookDelivery,
    { order_id: orderId, lp_id: null },
    { orderBy: { seq: 'asc' } },
  );
  return withAttempts(db, deliveries);
}

/** Webhooks of all agents and LPs. */
export async function findDeliveries(
  db: Database,
  where: FilterQuery<WebhookDelivery>,
  options: Pick<FindOptions<WebhookDelivery>, 'orderBy' | 'limit'>,
): Promise<AnyDelivery[]> {
  const deliveries = await db.em().find(WebhookDelivery, where, options);
  const lpIds = deliveries.flatMap(({ lp_id }) => lp_id ?? []);
  const [listed, orders, hooks] = await Promise.all([
    withAttempts(db, deliveries),
    db
      .em()
      .find(Order, { id: { $in: ordersOf(deliveries) } }, { fields: ['id', 'agent_key_id', 'callback_url'] }),
    db.em().find(LpWebhook, { lp_id: { $in: [...new Set(lpIds)] } }, { fields: ['lp_id', 'url'] }),
  ]);
  const orderOf = new Map(orders.map((order) => [order.id, order]));
  const urlOf = new Map(hooks.map(({ lp_id, url }) => [lp_id, url]));
  return listed.map((each) => {
    const { order_id, seq } = each.delivery;
    const order = orderOf.get(order_id);
    const lpId = each.delivery.lp_id ?? null;
    const callbackUrl = lpId === null ? order?.callback_url : (urlOf.get(lpId) ?? '');
    if (!order || callbackUrl == null)
      throw new Error(`Order ${order_id} has webhook ${seq} but no callback_url`);
    return { ...each, agentKeyId: order.agent_key_id, callbackUrl };
  });
}

async function withAttempts(db: Database, deliveries: WebhookDelivery[]): Promise<ListedDelivery[]> {
  const em = db.em();
  const of = { order_id: { $in: ordersOf(deliveries) } };
  const events = await em.find(OrderEvent, of, { fields: ['order_id', 'seq', 'status'] });
  const made = { delivery_id: { $in: deliveries.map(({ id }) => id) } };
  const attempts = await em.find(WebhookAttempt, made, { orderBy: { delivery_id: 'asc', attempt: 'asc' } });
  const key = ({ order_id, seq }: { order_id: number; seq: number }) => `${order_id}/${seq}`;
  const statusOf = new Map(events.map((event) => [key(event), event.status]));
  const attemptsOf = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  return deliveries.map((delivery) => {
    const { order_id, seq } = delivery;
    const status = statusOf.get(key(delivery));
    if (!status) throw new Error(`Webhook ${seq} of order ${order_id} has no event`);
    return { delivery, status, attempts: attemptsOf.get(delivery.id) ?? [] };
  });
}

const ordersOf = (deliveries: WebhookDelivery[]): number[] => [
  ...new Set(deliveries.map(({ order_id }) => order_id)),
];

const PENDING = `select seq from webhook_delivery where order_id = $1 and lp_id is null and state = 'pending' order by seq`;

/** The webhooks that Corridor still has to deliver for an order, oldest first. */
export async function pendingDeliveries(db: Database, orderId: number): Promise<number[]> {
  const rows = await db.query<{ seq: number }>('webhook-pending', PENDING, [orderId]);
  return rows.map(({ seq }) => seq);
}
