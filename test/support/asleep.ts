import type { Database } from '../../src/db/orm.ts';
import { type StartableOrder, startableOrders, wakes } from '../../src/orders/start-order.ts';
import type { OrderStart } from '../../src/temporal/start-options.ts';

/** The row of an order, from which its workflow starts. */
export async function startableOrder(db: Database, id: number): Promise<StartableOrder> {
  const [row] = await startableOrders(db, [id]);
  if (!row) throw new Error(`There is no order ${id}`);
  return row;
}

/** What wakes the workflow of an order, with a signal. */
export const wakesOrder = async (db: Database, id: number): Promise<OrderStart> =>
  wakes(await startableOrder(db, id));
