import { Context } from '@temporalio/activity';
import type { BulkActivities } from '../src/domain/activity-types.ts';
import { treatOrders } from '../src/operations/bulk/treat-orders.ts';
import type { ActivityDeps } from './deps.ts';
import { withHeartbeat } from './heartbeat.ts';

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
