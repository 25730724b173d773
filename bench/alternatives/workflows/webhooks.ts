import { proxyActivities } from '@temporalio/workflow';
import type { sendWebhook } from '../webhook.ts';

const activities = proxyActivities<{ sendWebhook: typeof sendWebhook }>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2 },
});

/** The webhooks of one order, sent in sequence, beside the requests. */
export function createWebhooks(orderId: number, callbackUrl: string | null) {
  let last = Promise.resolve();
  return {
    send: (status: string): void => {
      if (callbackUrl) last = last.then(() => activities.sendWebhook(callbackUrl, orderId, status));
    },
    /** Resolves when all have arrived. */
    sent: () => last,
  };
}
