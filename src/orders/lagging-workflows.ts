import type { Logger } from 'pino';
import type { ReconciledOrder } from '../db/queries/reconciled-orders.ts';
import { orderState } from '../db/steps/perform-step.ts';
import type { StageDurations } from '../domain/order-state.ts';
import type { OrderGateway } from './gateway.ts';
import { startInput } from './start-order.ts';

export interface LaggingWorkflowsDeps {
  gateway: OrderGateway;
  log: Logger;
  durations: StageDurations;
  /** Temporal keeps what a workflow was told: telling it again at once only burdens workers that are too slow already. */
  tellAgainAfterMs?: number;
}

/** As often as this a workflow is told what its row says; one that still lags is replaced. */
const TELL = 2;

/**
 * Sees to orders whose workflow lags: it is behind its row, or has let a deadline pass. Temporal's lists lag too, so
 * what is seen at two looks counts. A workflow is told what the row says, which makes up for lost moments of Temporal's
 * store. Where that does not help the workflow cannot go on, as after a defect that its history cannot be replayed with:
 * then it is ended, and another begins at the row. That is always safe: the row decides what an order is, and its
 * version what may still be done to it.
 */
export function createLaggingWorkflows({
  gateway,
  log,
  durations,
  tellAgainAfterMs = 60_000,
}: LaggingWorkflowsDeps): (lagging: ReconciledOrder[]) => Promise<unknown[]> {
  let suspected = new Map<number, { version: number; told: number; toldAt: number }>();

  /** Gives why some could not be seen to; they must not keep the others from it. */
  return async (lagging) => {
    const failures: unknown[] = [];
    const still: typeof suspected = new Map();
    for (const order of lagging) {
      const { id, version, status } = order;
      const before = suspected.get(id);
      const known = before?.version === version;
      const seen = known ? before : { version, told: 0, toldAt: 0 };
      still.set(id, seen);
      if (!known || Date.now() - seen.toldAt <= tellAgainAfterMs) continue;
      try {
        if (seen.told < TELL) await tell(order);
        else await replace(order);
        still.set(id, { version, told: (seen.told + 1) % (TELL + 1), toldAt: Date.now() });
        const done =
          seen.told < TELL ? 'told a workflow what its row says' : 'replaced a workflow that is stuck';
        log.warn({ orderId: id, status }, done);
      } catch (error) {
        failures.push(error);
      }
    }
    suspected = still;
    return failures;
  };

  async function tell(order: ReconciledOrder): Promise<void> {
    await gateway.refresh(order.id, { state: orderState(order), webhooks: order.webhooks });
  }

  async function replace(order: ReconciledOrder): Promise<void> {
    const { webhooks } = order;
    await gateway.startAnew(startInput(order, durations, { webhooks, autoClaims: true }), order);
  }
}
