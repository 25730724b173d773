import type { Logger } from 'pino';
import type { Database } from '../../../db/orm.ts';
import { moveIdsBeyond } from '../../../db/restore.ts';
import { isFinal } from '../../../domain/order-state.ts';
import { isAhead } from '../../../domain/workflow-drift.ts';
import { wakes } from '../../../orders/start-order.ts';
import { freezeAfterLoss } from '../../../orders/steps/freeze-after-loss.ts';
import { attemptAll } from '../../../temporal/attempt-all.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
import type { ObservedOrders } from '../observe-orders.ts';
import { ordersToReconcile, type ReconciledOrder } from '../reconciled-orders.ts';
import { createRepeatedAction } from '../repeated-action.ts';

export interface LossDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'lastSeen' | 'refresh'>;
  log: Logger;
}

const REPORT_AGAIN_AFTER_MS = 600_000;

/**
 * Freezes each order whose running workflow has seen a newer state than its row: a database that failed over or was
 * restored has lost commits. The rows must have been read after the workflows. Also reports workflows whose order has
 * no row, and prevents the database from reusing its id.
 */
export function createLossFreezing(deps: LossDeps): (observed: ObservedOrders) => Promise<void> {
  const { db, gateway, log } = deps;
  const reportMissing = createRepeatedAction<number>({
    // Rows are never deleted and are read after the workflows, so a row that was missing once has not been there since.
    keyOf: String,
    repeatAfterMs: () => REPORT_AGAIN_AFTER_MS,
    run: async (orderId) =>
      log.error(
        { orderId, seen: await gateway.lastSeen(orderId) },
        'a workflow runs for an order that the database does not have: the database has lost it (docs/operations.md)',
      ),
  });
  return async ({ running, orders }) => {
    const ahead = [...orders.values()].flatMap((order) => {
      const seen = running.get(order.id);
      return seen && !isFinal(order.status) && isAhead(seen, order) ? [{ order, seen }] : [];
    });
    await attemptAll(ahead, async ({ order, seen }) => {
      if (!(await freezeAfterLoss(deps, order.id, seen))) return;
      await gateway.refresh(order.id, wakes(order));
    });
    const missing = [...running.keys()].filter((id) => !orders.has(id));
    for (const id of missing)
      if (await moveIdsBeyond(db, id))
        log.error({ orderId: id }, 'the database has lost ids that it had assigned: moved all ids ahead');
    await reportMissing(missing);
  };
}

/**
 * Returns the order's row, from which a workflow may start. If the order's last workflow, which may have ended, has
 * seen a newer state than the row, this freezes the order first. A workflow that starts from the row would no longer
 * show the loss.
 */
export async function frozenIfLost(deps: LossDeps, order: ReconciledOrder): Promise<ReconciledOrder> {
  const seen = await deps.gateway.lastSeen(order.id);
  if (!seen || !isAhead(seen, order)) return order;
  await freezeAfterLoss(deps, order.id, seen);
  return readOrder(deps.db, order.id);
}

async function readOrder(db: Database, id: number): Promise<ReconciledOrder> {
  const [order] = await ordersToReconcile(db, [id]);
  if (!order) throw new Error(`There is no order ${id} in the database`);
  return order;
}
