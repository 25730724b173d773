import type { FilterQuery, FindOptions } from '@mikro-orm/core';
import { LpWebhook } from '../../db/entities/lp-webhook.ts';
import { Order } from '../../db/entities/order.ts';
import { OrderEvent, WebhookAttempt, WebhookDelivery } from '../../db/entities/order-log.ts';
import type { Database } from '../../db/orm.ts';
import type { DeliveryState } from '../../domain/delivery-state.ts';
import type { OrderStatus } from '../../domain/order-state.ts';

/** A webhook about an order; the others are about an LP itself. */
export type OrderDelivery = WebhookDelivery & { order_id: number; seq: number };

/** A webhook about an order, the status that it reports, and its attempts. */
export interface ListedDelivery {
  delivery: OrderDelivery;
  status: OrderStatus;
  attempts: WebhookAttempt[];
}

/**
 * Any webhook with its attempts and its receiver, which is '' if the LP has turned its webhooks off. A webhook about an
 * order also has the status that it reports and the order's agent key.
 */
export interface AnyDelivery extends Omit<ListedDelivery, 'delivery' | 'status'> {
  delivery: WebhookDelivery;
  status: OrderStatus | null;
  agentKeyId: number | null;
  callbackUrl: string;
}

export const isAboutOrder = (delivery: WebhookDelivery): delivery is OrderDelivery =>
  delivery.order_id != null && delivery.seq != null;

/** The webhooks of an order, oldest first, with the status that each reports and all attempts. */
export const listDeliveries = (db: Database, orderId: number): Promise<ListedDelivery[]> =>
  withAttempts(db, { order_id: orderId, lp_id: null });

async function withAttempts(db: Database, of: FilterQuery<WebhookDelivery>): Promise<ListedDelivery[]> {
  const found = await db.em().find(WebhookDelivery, of, { orderBy: { seq: 'asc' } });
  const deliveries = found.filter(isAboutOrder);
  const [statusOf, attemptsOf] = await Promise.all([statuses(db, deliveries), attempts(db, deliveries)]);
  return deliveries.map((delivery) => ({
    delivery,
    status: statusOf(delivery),
    attempts: attemptsOf(delivery),
  }));
}

/** Which of an agent's webhooks to list, and how many. */
export interface AgentDeliveries {
  state?: DeliveryState | undefined;
  /** The id of the last webhook of the previous page. */
  cursor?: number | undefined;
  limit: number;
}

/**
 * Pages by order and transition, because each agent's orders are one range of an index. The cursor is compared with the
 * agent's own webhooks only.
 */
const OF_AGENT = `
  select d.id from orders o
  join webhook_delivery d on d.order_id = o.id and d.lp_id is null
  where o.agent_key_id = $1 and ($2::varchar is null or d.state = $2)
    and ($3::bigint is null or (o.id, d.seq) < (
      select last.order_id, last.seq from webhook_delivery last join orders own on own.id = last.order_id
      where last.id = $3 and last.lp_id is null and own.agent_key_id = $1
    ))
  order by o.id desc, d.seq desc limit $4`;

/** The webhooks of an agent's orders: the newest order first, and its last webhook first. */
export async function listAgentDeliveries(
  db: Database,
  agentKeyId: number,
  { state, cursor, limit }: AgentDeliveries,
): Promise<ListedDelivery[]> {
  const values = [agentKeyId, state ?? null, cursor ?? null, limit];
  const ids = (await db.query<{ id: number }>('webhooks-of-agent', OF_AGENT, values)).map(({ id }) => id);
  const found = await withAttempts(db, { id: { $in: ids } });
  return found.sort((one, other) => ids.indexOf(one.delivery.id) - ids.indexOf(other.delivery.id));
}

/** Webhooks of all agents and LPs. */
export async function findDeliveries(
  db: Database,
  where: FilterQuery<WebhookDelivery>,
  options: Pick<FindOptions<WebhookDelivery>, 'orderBy' | 'limit'>,
): Promise<AnyDelivery[]> {
  const deliveries = await db.em().find(WebhookDelivery, where, options);
  const aboutOrders = deliveries.filter(isAboutOrder);
  const lpIds = deliveries.flatMap(({ lp_id }) => lp_id ?? []);
  const [statusOf, attemptsOf, orders, hooks] = await Promise.all([
    statuses(db, aboutOrders),
    attempts(db, deliveries),
    db
      .em()
      .find(
        Order,
        { id: { $in: ordersOf(aboutOrders) } },
        { fields: ['id', 'agent_key_id', 'callback_url'] },
      ),
    db.em().find(LpWebhook, { lp_id: { $in: [...new Set(lpIds)] } }, { fields: ['lp_id', 'url'] }),
  ]);
  const orderOf = new Map(orders.map((order) => [order.id, order]));
  const urlOf = new Map(hooks.map(({ lp_id, url }) => [lp_id, url]));
  return deliveries.map((delivery) => {
    const listed = { delivery, attempts: attemptsOf(delivery) };
    const lpUrl = delivery.lp_id == null ? undefined : (delivery.url ?? urlOf.get(delivery.lp_id) ?? '');
    if (!isAboutOrder(delivery))
      return { ...listed, status: null, agentKeyId: null, callbackUrl: lpUrl ?? '' };
    const order = orderOf.get(delivery.order_id);
    const callbackUrl = lpUrl ?? order?.callback_url;
    if (!order || callbackUrl == null)
      throw new Error(`Order ${delivery.order_id} has webhook ${delivery.seq} but no callback_url`);
    return { ...listed, status: statusOf(delivery), agentKeyId: order.agent_key_id, callbackUrl };
  });
}

/** Looks up the status that each of these webhooks reports. */
async function statuses(db: Database, deliveries: OrderDelivery[]) {
  const of = { order_id: { $in: ordersOf(deliveries) } };
  const events = await db.em().find(OrderEvent, of, { fields: ['order_id', 'seq', 'status'] });
  const key = ({ order_id, seq }: { order_id: number; seq: number }) => `${order_id}/${seq}`;
  const found = new Map(events.map((event) => [key(event), event.status]));
  return (delivery: OrderDelivery): OrderStatus => {
    const status = found.get(key(delivery));
    if (!status) throw new Error(`Webhook ${delivery.seq} of order ${delivery.order_id} has no event`);
    return status;
  };
}

/** Looks up the attempts of each of these webhooks. */
async function attempts(db: Database, deliveries: WebhookDelivery[]) {
  const of = { delivery_id: { $in: deliveries.map(({ id }) => id) } };
  const made = await db.em().find(WebhookAttempt, of, { orderBy: { delivery_id: 'asc', attempt: 'asc' } });
  const found = Map.groupBy(made, ({ delivery_id }) => delivery_id);
  return ({ id }: WebhookDelivery): WebhookAttempt[] => found.get(id) ?? [];
}

const ordersOf = (deliveries: OrderDelivery[]): number[] => [
  ...new Set(deliveries.map(({ order_id }) => order_id)),
];

const PENDING = `select seq from webhook_delivery where order_id = $1 and lp_id is null and state = 'pending' order by seq`;

/** The webhooks that Corridor still has to deliver for an order, oldest first. */
export async function pendingDeliveries(db: Database, orderId: number): Promise<number[]> {
  const rows = await db.query<{ seq: number }>('webhook-pending', PENDING, [orderId]);
  return rows.map(({ seq }) => seq);
}
