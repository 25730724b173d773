import { Context } from '@temporalio/activity';
import { type BulkProgress, treatOrders } from '../src/operations/bulk/treat-orders.ts';
import type { ActivityDeps } from './deps.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface BulkActivities {
  /** Treats the next orders of a bulk run. The input carries its id alone: the rows say what to do, and whether to. */
  treatBulkOrders: (input: { runId: number }) => Promise<BulkProgress>;
}

export const bulkActivities = (
  deps: Pick<ActivityDeps, 'db' | 'log' | 'attemptCommand' | 'gateway'>,
): BulkActivities => ({
  treatBulkOrders: async ({ runId }) =>
    withHeartbeat(() =>
      treatOrders(
        { ...deps, attempt: deps.attemptCommand },
        // Anybody who reaches Temporal may have written the input.
        Number.isSafeInteger(runId) ? runId : 0,
        Context.current().cancellationSignal,
      ),
    ),
});
