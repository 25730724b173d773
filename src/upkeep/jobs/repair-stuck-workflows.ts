import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { workflowDrift } from '../../domain/workflow-drift.ts';
import { restartOrder, wakes } from '../../orders/start-order.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import type { ObservedOrders } from '../observe-orders.ts';
import { overdueOrders, type ReconciledOrder, silentOrders } from '../reconciled-orders.ts';
import { createRepeatedAction } from '../repeated-action.ts';
import { frozenIfLost } from './freeze-after-loss.ts';

/** Every workflow tries a passed deadline at least once a minute, also after an outage. */
const OVERDUE_BY = '3 minutes';
/** A webhook's first attempt begins within moments, unless something blocks it. */
const SILENT_FOR = '30 seconds';
/** Refreshing sooner would burden workers that are too slow already. */
const REFRESH_AGAIN_AFTER_MS = 60_000;
const LOOK_AGAIN_AFTER_MS = 10_000;
/** A workflow that still lags after this many refreshes is replaced. */
const REFRESHES = 2;

/** An order whose workflow may be stuck. */
export interface SuspectedOrder {
  order: ReconciledOrder;
  /**
   * `lagging`: the workflow's observed version is older than the row's, or the order is due and has not moved.
   * `silent`: an answer or a webhook is missing. A slow worker could also be the cause.
   */
  sign: 'lagging' | 'silent';
}

/** The orders whose running workflow may be stuck. Asks about those that the round has not observed. */
export async function suspectedOrders(
  { db, gateway }: { db: Database; gateway: Pick<OrderGateway, 'runningAmong'> },
  { running, orders }: ObservedOrders,
): Promise<SuspectedOrder[]> {
  const observed = [...orders.values()].map((order) => ({
    order,
    drift: workflowDrift(order, running.get(order.id)),
  }));
  const withDrift = (kind: string) =>
    observed.filter(({ drift }) => drift === kind).map(({ order }) => order);
  const lagging = [...withDrift('workflow_behind'), ...(await overdueOrders(db, OVERDUE_BY))];
  // A workflow that still runs after its order has ended counts as silent too.
  const silent = [...(await silentOrders(db, SILENT_FOR)), ...withDrift('workflow_without_order')];
  const suspected = new Map<number, SuspectedOrder>();
  for (const order of silent) suspected.set(order.id, { order, sign: 'silent' });
  for (const order of lagging) suspected.set(order.id, { order, sign: 'lagging' });
  const unseen = await gateway.runningAmong([...suspected.keys()].filter((id) => !orders.has(id)));
  return [...suspected.values()].filter(({ order: { id } }) => running.has(id) || unseen.has(id));
}

export interface RepairDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'refresh' | 'restart' | 'hasFailedTask' | 'lastSeen'>;
  log: Logger;
  /** One minute by default. */
  refreshAgainAfterMs?: number;
}

/**
 * Repairs stuck workflows. A workflow that failed its last task would also fail the next one, so it is replaced
 * immediately. A lagging workflow is refreshed from its row, which repairs a loss in Temporal's store. If it still
 * lags, it is replaced. A silent workflow is left alone, because its worker or its database is slow.
 *
 * Replacing a workflow is always safe. The row holds the order's state, and its version fences late steps. If the
 * workflow has seen a newer state than the row, the order is frozen first, because the new workflow would not show the
 * loss.
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
    // A workflow never shows an older version than before. So one that lags at the same version again, many rounds later, has not
    // caught up in between, unless Temporal has lost what it showed. An overdue order stays so until its version changes.
    keyOf: ({ order, sign }) => `${order.id}/${order.version}/${sign}`,
    repeatAfterMs: ({ sign }) => (sign === 'lagging' ? refreshAgainAfterMs : LOOK_AGAIN_AFTER_MS),
    run: async ({ order, sign }, times) => {
      const { id, status } = order;
      if (await gateway.hasFailedTask(id)) {
        await restart(order);
        log.warn({ orderId: id, status }, 'replaced a workflow that fails its tasks');
      } else if (sign === 'lagging' && times % (REFRESHES + 1) < REFRESHES) {
        await gateway.refresh(id, wakes(order));
        log.warn({ orderId: id, status }, 'refreshed a lagging workflow from its row');
      } else if (sign === 'lagging') {
        await restart(order);
        log.warn({ orderId: id, status }, 'replaced a workflow that still lags');
      }
    },
  });
}
