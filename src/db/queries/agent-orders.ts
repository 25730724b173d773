import type { OrderStatus } from '../../domain/order-state.ts';
import { Order } from '../entities/order.ts';
import { OrderEvent } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

export interface OrderFilter {
  /** Orders with a smaller id: older ones. */
  before?: number | undefined;
  status?: OrderStatus | undefined;
  currency?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

/** An agent's orders, newest first: a stretch of the index over agent and id, whatever the page. */
export function listAgentOrders(
  db: Database,
  agentKeyId: number,
  { before, status, currency, createdFrom, createdTo }: OrderFilter,
  limit: number,
): Promise<Order[]> {
  const conditions = [
    { agent_key_id: agentKeyId },
    ...(before === undefined ? [] : [{ id: { $lt: before } }]),
    ...(status === undefined ? [] : [{ status }]),
    ...(currency === undefined ? [] : [{ currency }]),
    ...(createdFrom === undefined ? [] : [{ created_at: { $gte: createdFrom } }]),
    ...(createdTo === undefined ? [] : [{ created_at: { $lt: createdTo } }]),
  ];
  return db.em().find(Order, { $and: conditions }, { orderBy: { id: 'desc' }, limit });
}

/** The transitions that brought an order where this row of it stands, oldest first. */
export const listEvents = (db: Database, { id, version }: Order): Promise<OrderEvent[]> =>
  db.em().find(OrderEvent, { order_id: id, seq: { $lte: version } }, { orderBy: { seq: 'asc' } });
