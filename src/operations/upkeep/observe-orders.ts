import type { Database } from '../../db/orm.ts';
import { isFinal } from '../../domain/order-state.ts';
import type { ObservedWorkflow } from '../../domain/workflow-drift.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import {
  ordersNeedingWorkflow,
  ordersToReconcile,
  type ReconciledOrder,
  windowOfOrders,
} from './reconciled-orders.ts';

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

/** The most workflows that Temporal lists at once. */
const LARGEST_PAGE = 1_000;

export interface ObservationDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'runningPage' | 'runningAmong'>;
}

/** Reads all orders whose workflow runs, one page after the other, so that no call or statement is too long however many there are. */
export async function* observeRunning({
  db,
  gateway,
}: {
  db: Database;
  gateway: Pick<OrderGateway, 'runningPage'>;
}): AsyncGenerator<ObservedOrders> {
  let after: Uint8Array | undefined;
  do {
    const page = await gateway.runningPage(LARGEST_PAGE, after);
    const rows = await ordersToReconcile(db, [...page.orders.keys()]);
    yield { running: page.orders, orders: new Map(rows.map((order) => [order.id, order])) };
    after = page.next;
  } while (after);
}

/**
 * Returns a function that reads orders and their running workflows. As long as one page has all workflows that run, it reads
 * all of them each time. With more, it reads one page of workflows and one of orders at a time, and goes on where it ended, so
 * that a round costs the same however many orders are open. What is most likely to need repair, such as new orders and unanswered
 * requests, is in each round. `age`: see `observeOrders`; `size`: of a page.
 */
export function createObservation(
  { db, gateway }: ObservationDeps,
  age: string,
  size = LARGEST_PAGE,
): () => Promise<ObservedOrders> {
  let workflowsAfter: Uint8Array | undefined;
  let ordersAfter = 0;
  return async () => {
    const after = workflowsAfter;
    // If the page cannot be read, the next round begins again: Temporal may have lost what the position refers to.
    workflowsAfter = undefined;
    const page = await gateway.runningPage(size, after);
    workflowsAfter = page.next;
    if (!after && !page.next) return observeOrders(db, page.orders, age);
    const window = await windowOfOrders(db, { age, after: ordersAfter, size });
    ordersAfter = window.next;
    const asked = window.ids.filter((id) => !page.orders.has(id));
    const running = new Map([...page.orders, ...(await gateway.runningAmong(asked))]);
    // After the workflows, so that an order that has moved meanwhile does not look as if the database had lost commits.
    const rows = await ordersToReconcile(db, [...new Set([...window.ids, ...running.keys()])]);
    const observed = rows.filter(
      ({ id, status, webhooks }) => running.has(id) || !isFinal(status) || webhooks.length > 0,
    );
    return { running, orders: new Map(observed.map((order) => [order.id, order])) };
  };
}
