import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { workflowDrift } from '../../domain/workflow-drift.ts';
import { restartOrder } from '../../orders/start-order.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import type { ObservedOrders } from '../observe-orders.ts';
import { overdueOrders, type ReconciledOrder, silentOrders } from '../reconciled-orders.ts';
import { createRepeatedAction } from '../repeated-action.ts';
import { frozenIfLost } from './freeze-after-loss.ts';

/** Any workflow asks once a minute at least whether a passed deadline counts, after an outage as well. */
const OVERDUE_BY = '3 minutes';
/** A webhook is tried within moments, unless something is in its way. */
const SILENT_FOR = '30 seconds';
/** Refreshing sooner would burden workers that are too slow already. */
const REFRESH_AGAIN_AFTER_MS = 60_000;
const LOOK_AGAIN_AFTER_MS = 10_000;
/** A workflow that lags on after so many refreshes is replaced. */
const REFRESHES = 2;

/** An order whose workflow may be stuck. */
export interface SuspectedOrder {
  order: ReconciledOrder;
  /**
   * `lagging`: the workflow's observed version is older than the row's, or the order is due and has not moved.
   * `silent`: something else is owed, such as an answer or a webhook, for which a slow worker is a good reason, too.
   */
  sign: 'lagging' | 'silent';
}

/** The orders whose running workflow shows a sign of being stuck. */
export async function suspectedOrders(
  db: Database,
  { running, orders }: ObservedOrders,
): Promise<SuspectedOrder[]> {
  const observed = [...orders.values()].map((order) => ({
    order,
    drift: workflowDrift(order, running.get(order.id)),
  }));
  const withDrift = (kind: string) =>
    observed.filter(({ drift }) => drift === kind).map(({ order }) => order);
  const lagging = [...withDrift('workflow_behind'), ...(await overdueOrders(db, OVERDUE_BY))];
  // A workflow that outlives its order should have ended with it.
  const silent = [...(await silentOrders(db, SILENT_FOR)), ...withDrift('workflow_without_order')];
  const suspected = new Map<number, SuspectedOrder>();
  for (const order of silent) suspected.set(order.id, { order, sign: 'silent' });
  for (const order of lagging) suspected.set(order.id, { order, sign: 'lagging' });
  return [...suspected.values()].filter(({ order }) => running.has(order.id));
}

export interface RepairDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'refresh' | 'restart' | 'hasFailedTask' | 'lastSeen'>;
  log: Logger;
  /** One minute by default. */
  refreshAgainAfterMs?: number;
}

/**
 * Repairs workflows that are stuck. One rule: a workflow that failed its last task would fail the next one too, so it is
 * replaced at once. One that lags is refreshed from its row, which makes up for a loss in Temporal's store; one that
 * lags on is replaced. One that is only silent is left alone: its worker or its database is slow.
 *
 * To replace a workflow is always safe: the row decides what an order is, and its version what may still be done to it. If
 * the workflow has seen more than the row, the order is frozen first, because the new workflow would not know what was lost.
 */
export function createStuckWorkflowRepair({
  db,
  gateway,
  log,
  refreshAgainAfterMs = REFRESH_AGAIN_AFTER_MS,
}: RepairDeps): (suspected: readonly SuspectedOrder[]) => Promise<void> {
  const restart = async (order: ReconciledOrder) =>
    restartOrder(gateway, await frozenIfLost({ db, gateway, log }, order));
  return createRepeatedAction<SuspectedOrder>({
    keyOf: ({ order, sign }) => `${order.id}/${order.version}/${sign}`,
    repeatAfterMs: ({ sign }) => (sign === 'lagging' ? refreshAgainAfterMs : LOOK_AGAIN_AFTER_MS),
    act: async ({ order, sign }, times) => {
      const { id, status } = order;
      if (await gateway.hasFailedTask(id)) {
        await restart(order);
        log.warn({ orderId: id, status }, 'replaced a workflow that fails its tasks');
      } else if (sign === 'lagging' && times % (REFRESHES + 1) < REFRESHES) {
        await gateway.refresh(id);
        log.warn({ orderId: id, status }, 'refreshed a lagging workflow from its row');
      } else if (sign === 'lagging') {
        await restart(order);
        log.warn({ orderId: id, status }, 'replaced a workflow that lags on');
      }
    },
  });
}
