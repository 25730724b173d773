import { Context } from '@temporalio/activity';
import type { DeliverWebhookInput } from '../src/domain/activity-types.ts';
import { autoClaimActivities } from './auto-claims.ts';
import { bulkActivities } from './bulk.ts';
import type { ActivityDeps } from './deps.ts';
import { withHeartbeat } from './heartbeat.ts';
import { noticeActivities } from './notices.ts';
import { stepActivities } from './steps.ts';
import { verificationActivities } from './verification.ts';
import { webhookActivities } from './webhooks.ts';

/** All activities of the workflows, under the names that the Temporal UI shows. */
export function createActivities(deps: ActivityDeps) {
  const { deliverWebhook, deliverInline } = webhookActivities(deps);
  const { verifyTransaction, firstLook } = verificationActivities(deps);
  return {
    ...stepActivities({ ...deps, deliverInline, firstLook }),
    ...noticeActivities(deps),
    ...autoClaimActivities(deps),
    verifyTransaction,
    ...bulkActivities(deps),
    deliverInline,
    deliverWebhook: (input: DeliverWebhookInput) =>
      withHeartbeat(() => deliverWebhook(input, Context.current().cancellationSignal)),
  };
}
