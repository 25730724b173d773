import { Order } from '../db/entities/order.ts';
import { OrderEvent } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import type { OrderStatus } from '../domain/order-state.ts';

export interface OrderFilter {
  /** Only orders with a smaller id, which are older. */
  before?: number | undefined;
  status?: OrderStatus | undefined;
  currency?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

/** Lists an agent's orders, newest first. Every page is one range of the index over agent and id. */
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

/** Lists the order's transitions up to this version of its row, oldest first. */
export const listEvents = (db: Database, { id, version }: Order): Promise<OrderEvent[]> =>
  db.em().find(OrderEvent, { order_id: id, seq: { $lte: version } }, { orderBy: { seq: 'asc' } });
