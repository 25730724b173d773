import type { Logger } from 'pino';
import type { ReconciledOrder } from '../db/queries/reconciled-orders.ts';
import { orderState } from '../db/steps/perform-step.ts';
import type { StageDurations } from '../domain/order-state.ts';
import type { OrderGateway } from './gateway.ts';
import { createReminders } from './reminders.ts';
import { startOrderAnew } from './start-order.ts';

export interface LaggingWorkflowsDeps {
  gateway: OrderGateway;
  log: Logger;
  durations: StageDurations;
  /** A minute, if it is left out. */
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
  tellAgainAfterMs,
}: LaggingWorkflowsDeps): (lagging: ReconciledOrder[]) => Promise<unknown[]> {
  const keyOf = ({ id, version }: ReconciledOrder) => `${id}/${version}`;
  return createReminders(
    keyOf,
    async (order, times) => {
      const { id, status, webhooks } = order;
      const isTold = times % (TELL + 1) < TELL;
      if (isTold) await gateway.refresh(id, { state: orderState(order), webhooks });
      else await startOrderAnew(gateway, order, durations);
      const done = isTold ? 'told a workflow what its row says' : 'replaced a workflow that is stuck';
      log.warn({ orderId: id, status }, done);
    },
    tellAgainAfterMs,
  );
}
