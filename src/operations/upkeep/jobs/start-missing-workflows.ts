import type { Logger } from 'pino';
import type { Database } from '../../../db/orm.ts';
import { startOrder } from '../../../orders/start-order.ts';
import { crashPoint } from '../../../process/crash-point.ts';
import { attemptAll } from '../../../temporal/attempt-all.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
import type { ObservedOrders } from '../observe-orders.ts';
import type { ReconciledOrder } from '../reconciled-orders.ts';
import { recordProgress } from '../reconciler-progress.ts';
import { frozenIfLost } from './freeze-after-loss.ts';

export interface StartMissingDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
}

/**
 * Starts a workflow for each order that has none and has not ended or still owes a webhook. Such orders exist after a
 * failed start, and after Temporal lost its store. If the order's ended workflow has seen a newer state than the row,
 * the order starts frozen.
 */
export async function startMissingWorkflows(
  { db, gateway, log }: StartMissingDeps,
  { running, orders }: ObservedOrders,
): Promise<void> {
  const missing = [...orders.values()].filter(({ id }) => !running.has(id));
  if (missing.length > 0) crashPoint('reconciler.begun');
  await attemptAll(missing, start, (started) => recordProgress(db, started));

  async function start(missing: ReconciledOrder): Promise<void> {
    const order = await frozenIfLost({ db, gateway, log }, missing);
    const { webhooks } = order;
    await startOrder(gateway, order, { webhooks, autoClaims: true });
    crashPoint('reconciler.started');
    log.info({ orderId: order.id, status: order.status, webhooks }, 'started a missing workflow');
  }
}
