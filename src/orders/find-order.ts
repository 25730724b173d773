import { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';

/** Finds any order by its id. */
export const findOrder = (db: Database, id: number): Promise<Order | null> => db.em().findOne(Order, { id });

/** Finds an order of this agent. Returns null for another agent's order. */
export const findAgentOrder = (db: Database, id: number, agentKeyId: number): Promise<Order | null> =>
  db.em().findOne(Order, { id, agent_key_id: agentKeyId });
