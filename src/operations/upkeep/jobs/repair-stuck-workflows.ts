import type { Logger } from 'pino';
import type { Database } from '../../../db/orm.ts';
import { workflowDrift } from '../../../domain/workflow-drift.ts';
import { restartOrder, wakes } from '../../../orders/start-order.ts';
import type { OrderGateway } from '../../../temporal/gateway.ts';
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

/**
 * Repairs the orders whose running workflow may be stuck, one source of such orders after the other. A source that fails stops no
 * other, and a slow one delays only those after it. The promise rejects at the end, with an AggregateError. An order that several
 * sources find is repaired once, as the first of them says.
 */
export async function repairSuspected(
  { db, gateway }: { db: Database; gateway: Pick<OrderGateway, 'runningAmong'> },
  { running, orders }: ObservedOrders,
  repair: (suspected: readonly SuspectedOrder[]) => Promise<void>,
): Promise<void> {
  const withDrift = async (kind: ReturnType<typeof workflowDrift>) =>
    [...orders.values()].filter((order) => workflowDrift(order, running.get(order.id)) === kind);
  const sources: [SuspectedOrder['sign'], () => Promise<ReconciledOrder[]>][] = [
    ['lagging', () => withDrift('workflow_behind')],
    ['lagging', () => overdueOrders(db, OVERDUE_BY)],
    // A workflow that still runs after its order has ended.
    ['silent', () => withDrift('workflow_without_order')],
    ['silent', () => silentOrders(db, SILENT_FOR)],
  ];
  const suspected = new Set<number>();
  const failures: unknown[] = [];
  for (const [sign, find] of sources) {
    try {
      const found = (await find()).filter(({ id }) => !suspected.has(id));
      for (const { id } of found) suspected.add(id);
      const unseen = await gateway.runningAmong(found.map(({ id }) => id).filter((id) => !orders.has(id)));
      const runs = found.filter(({ id }) => running.has(id) || unseen.has(id));
      await repair(runs.map((order) => ({ order, sign })));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not all stuck workflows could be repaired');
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
