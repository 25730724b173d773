import { isCancellation, proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks.ts';
import { inBackground } from './background.ts';

/** The activity counts its attempts and spaces them; this policy is for the runs that an outage of ours makes fail. */
const { deliverWebhook } = proxyActivities<WebhookActivities>({
  // The send's 10 s, and what our own database may take before and after it: a second run beside the first sends twice.
  startToCloseTimeout: '30s',
  // A worker that died with a webhook in its hands is not waited for as long as that.
  heartbeatTimeout: '5s',
  retry: { initialInterval: '400ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

/** In the task of the step that is told, so that a receiver that answers swiftly costs no task of its own. */
const { deliverAtOnce } = proxyLocalActivities<WebhookActivities>({
  startToCloseTimeout: '1s',
  retry: { maximumAttempts: 1 },
});

/** The webhooks that an order owes: each a number of one of its transitions. */
export interface WebhookQueue {
  /** Queued twice is no harm: what is no longer owed when its turn comes is left. */
  add: (seq: number) => void;
  /** Takes over what the row says is owed. */
  replace: (owed: number[]) => void;
  isIdle: () => boolean;
}

/** Delivers in the order of the transitions, one after the other; a slow receiver holds up nothing but its own webhooks. */
export function createWebhookQueue(orderId: number, owed: number[]): WebhookQueue {
  const queue = [...owed];
  let delivering = false;
  deliver();
  return {
    add: (seq) => {
      if (!queue.includes(seq)) queue.push(seq);
      deliver();
    },
    replace: (owedNow) => {
      queue.splice(0, queue.length, ...owedNow);
      deliver();
    },
    isIdle: () => !delivering,
  };

  function deliver(): void {
    if (delivering || queue.length === 0) return;
    delivering = true;
    inBackground(
      deliverAll().finally(() => {
        delivering = false;
      }),
    );
  }

  async function deliverAll(): Promise<void> {
    for (let seq = queue.shift(); seq !== undefined; seq = queue.shift()) {
      await deliverOne(seq);
    }
  }

  async function deliverOne(seq: number): Promise<void> {
    const summary = `webhook ${seq}`;
    const first = await deliverAtOnce
      .executeWithOptions({ summary }, [{ orderId, seq }])
      .catch(leftToThePatient);
    if (first === 'done') return;
    if (first.laterMs > 0) await sleep(first.laterMs, { summary: `${summary} again` });
    await deliverWebhook.executeWithOptions({ summary }, [{ orderId, seq }]);
  }
}

/**
 * What the attempt at once met, such as our own database away, the patient activity waits for. Not asked by its class: a
 * local activity that ran out of time fails with another error when it is replayed than it did at first.
 */
function leftToThePatient(error: unknown): { laterMs: number } {
  if (isCancellation(error)) throw error;
  return { laterMs: 0 };
}
