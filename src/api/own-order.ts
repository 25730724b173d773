import type { AgentKey } from '../db/entities/agent-key.ts';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { findAgentOrder, findOrder } from '../db/queries/orders.ts';
import { DomainError } from '../domain/errors.ts';
import { idFrom } from './validate.ts';

/** The agent's order that the path names; others are not there. */
export async function ownOrder(
  db: Database,
  { params, principal }: { params: Record<string, string>; principal: AgentKey },
): Promise<Order> {
  const order = await findAgentOrder(db, idFrom(params.orderId), principal.id);
  if (!order) throw new DomainError('not_found');
  return order;
}

/** Anybody's order that the path names. */
export async function anyOrder(db: Database, id: string | undefined): Promise<Order> {
  const order = await findOrder(db, idFrom(id));
  if (!order) throw new DomainError('not_found');
  return order;
}
