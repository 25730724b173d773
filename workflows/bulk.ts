import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { BulkActivities } from '../src/domain/activity-types.ts';
import type { BulkInput } from './messages.ts';

/** Retried for as long as the database or the orders' workflows do not answer. Another worker continues after a crash. */
const { treatBulkOrders } = proxyActivities<BulkActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/**
 * A bulk run: sends one command to each of its orders, page by page. It keeps no state of its own: the rows of the run have the
 * orders and their outcomes, so a workflow that is lost continues in the next one. It takes no signals.
 */
export async function bulk({ runId }: BulkInput): Promise<{ treated: number; orders: number }> {
  for (;;) {
    const summary = `next orders of bulk run ${runId}`;
    const { isDone, treated, orders } = await treatBulkOrders.executeWithOptions({ summary }, [{ runId }]);
    setCurrentDetails(`${treated} of ${orders} orders treated`);
    upsertMemo({ treated });
    if (isDone) return { treated, orders };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof bulk>({ runId });
  }
}
