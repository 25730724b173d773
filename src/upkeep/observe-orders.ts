import type { Database } from '../db/orm.ts';
import type { ObservedWorkflow } from '../domain/workflow-drift.ts';
import { ordersNeedingWorkflow, ordersToReconcile, type ReconciledOrder } from './reconciled-orders.ts';

/** The workflows that run, and the rows of all orders that need a workflow or have one. */
export interface ObservedOrders {
  running: ReadonlyMap<number, ObservedWorkflow>;
  orders: ReadonlyMap<number, ReconciledOrder>;
}

/**
 * Loads the rows to compare with the running workflows. List the workflows before: then an order that ends in between
 * does not look like one without a workflow. Orders younger than `age` are omitted unless their workflow runs, because
 * it may be starting.
 */
export async function observeOrders(
  db: Database,
  running: ReadonlyMap<number, ObservedWorkflow>,
  age: string,
): Promise<ObservedOrders> {
  const needing = await ordersNeedingWorkflow(db, age);
  const orders = new Map(needing.map((order) => [order.id, order]));
  const others = [...running.keys()].filter((id) => !orders.has(id));
  for (const order of await ordersToReconcile(db, others)) orders.set(order.id, order);
  return { running, orders };
}
