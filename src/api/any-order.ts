import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { findOrder } from '../db/queries/orders.ts';
import { DomainError } from '../domain/errors.ts';
import { idFrom } from './validate.ts';

/** Anybody's order that the path names. */
export async function anyOrder(db: Database, id: string | undefined): Promise<Order> {
  const order = await findOrder(db, idFrom(id));
  if (!order) throw new DomainError('not_found');
  return order;
}
