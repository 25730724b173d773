import type { Logger } from 'pino';
import type { ReconciledOrder } from '../db/queries/reconciled-orders.ts';
import type { StageDurations } from '../domain/order-state.ts';
import type { OrderGateway } from './gateway.ts';
import { createReminders } from './reminders.ts';
import { startOrderAnew } from './start-order.ts';

export interface FailingWorkflowsDeps {
  gateway: Pick<OrderGateway, 'failsItsTasks' | 'startAnew'>;
  log: Logger;
  durations: StageDurations;
  /** Ten seconds, if it is left out. */
  lookAgainAfterMs?: number;
}

const LOOK_AGAIN_AFTER_MS = 10_000;

/**
 * Sees to orders whose workflow is silent: it has left somebody without an answer, owes a webhook and does not try, waits
 * for a chain, or has outlived its order.
 * Mostly a worker or the database is away, or slow, and nothing is to be done. Where Temporal says that the workflow
 * failed its last task, it would fail the next one too: it is ended, and another begins at the row.
 */
export function createFailingWorkflows({
  gateway,
  log,
  durations,
  lookAgainAfterMs = LOOK_AGAIN_AFTER_MS,
}: FailingWorkflowsDeps): (silent: ReconciledOrder[]) => Promise<unknown[]> {
  return createReminders(
    ({ id }) => String(id),
    async (order) => {
      const { id, status } = order;
      if (!(await gateway.failsItsTasks(id))) return;
      await startOrderAnew(gateway, order, durations);
      log.warn({ orderId: id, status }, 'replaced a workflow that fails its tasks');
    },
    lookAgainAfterMs,
  );
}
