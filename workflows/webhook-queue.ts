import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { WebhookActivities } from '../src/domain/activity-types.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { runInBackground } from './background.ts';
import { leaveToRetryingActivity } from './inline.ts';

/**
 * One run makes all attempts and the pauses between them. This policy applies only to runs that fail because Corridor's own
 * database or worker is unavailable.
 */
const { deliverWebhook } = proxyActivities<WebhookActivities>({
  // 10 s for each of three requests, 12 s for the request of a run that died, the rest for pauses and our own database.
  startToCloseTimeout: '60s',
  // Temporal notices a dead worker after this time.
  heartbeatTimeout: '5s',
  retry: { initialInterval: '400ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** Runs in the workflow task of the step that the webhook reports, so a fast receiver needs no workflow task of its own. */
const { deliverInline } = proxyLocalActivities<WebhookActivities>({
  startToCloseTimeout: '1s',
  retry: { maximumAttempts: 1 },
});

/** The webhooks that an order owes, each with the sequence number of its transition. */
export interface WebhookQueue {
  /** Adds a webhook unless it is queued. The activity skips a webhook that is no longer pending. */
  add: (seq: number, traces: TraceContext) => void;
  /** Adds a webhook whose step could not deliver it. A background delivery takes it over. */
  addTried: (seq: number, traces: TraceContext) => void;
  /** Replaces the queue by the pending webhooks of the row. */
  replace: (owed: number[], traces: TraceContext) => void;
  /** Whether something is queued and nothing is being delivered. */
  isDue: () => boolean;
  /**
   * Makes one inline attempt for each queued webhook. If an attempt fails, a background delivery takes over that webhook
   * and all that follow it.
   */
  deliverDue: () => Promise<void>;
  isIdle: () => boolean;
}

interface OwedWebhook {
  seq: number;
  traces: TraceContext;
}

/** Delivers in the order of the transitions, one at a time. A slow receiver delays only its own webhooks. */
export function createWebhookQueue(orderId: number, owed: number[], traces: TraceContext): WebhookQueue {
  const queue: OwedWebhook[] = owed.map((seq) => ({ seq, traces }));
  let isDelivering = false;
  const isDue = () => queue.length > 0 && !isDelivering;
  const find = (seq: number) => queue.find((webhook) => webhook.seq === seq);
  const add = (seq: number, traces: TraceContext) => {
    if (!find(seq)) queue.push({ seq, traces });
  };
  return {
    add,
    addTried: (seq, traces) => {
      if (isDelivering || queue.length > 0) add(seq, traces);
      else deliverInBackground({ seq, traces });
    },
    replace: (owedNow, traces) => {
      queue.splice(0, queue.length, ...owedNow.map((seq) => find(seq) ?? { seq, traces }));
    },
    isDue,
    deliverDue: async () => {
      while (isDue()) {
        const next = queue.shift() as OwedWebhook;
        const { seq, traces } = next;
        const first = await deliverInline
          .executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq, ...traces }])
          .catch(leaveToRetryingActivity('later'));
        if (first !== 'done') deliverInBackground(next);
      }
    },
    isIdle: () => !isDelivering && queue.length === 0,
  };

  function deliverInBackground(first: OwedWebhook): void {
    isDelivering = true;
    runInBackground(
      deliverAll(first).finally(() => {
        isDelivering = false;
      }),
    );
  }

  async function deliverAll(first: OwedWebhook): Promise<void> {
    for (let next: OwedWebhook | undefined = first; next !== undefined; next = queue.shift()) {
      const { seq, traces } = next;
      await deliverWebhook.executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq, ...traces }]);
    }
  }
}
