import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks.ts';
import { leftToThePatient } from './at-once.ts';
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
  /** Something is queued, and nothing is being delivered. */
  isDue: () => boolean;
  /** Makes the first attempts at what is due. Where one is in vain, it and all behind it are left to the background. */
  deliverDue: () => Promise<void>;
  isIdle: () => boolean;
}

/** Delivers in the order of the transitions, one after the other; a slow receiver holds up nothing but its own webhooks. */
export function createWebhookQueue(orderId: number, owed: number[]): WebhookQueue {
  const queue = [...owed];
  let delivering = false;
  const isDue = () => queue.length > 0 && !delivering;
  return {
    add: (seq) => {
      if (!queue.includes(seq)) queue.push(seq);
    },
    replace: (owedNow) => {
      queue.splice(0, queue.length, ...owedNow);
    },
    isDue,
    deliverDue: async () => {
      while (isDue()) {
        const seq = queue.shift() as number;
        const first = await deliverAtOnce
          .executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq }])
          .catch(leftToThePatient({ laterMs: 0 }));
        if (first !== 'done') deliverPatiently(seq, first.laterMs);
      }
    },
    isIdle: () => !delivering && queue.length === 0,
  };

  function deliverPatiently(seq: number, laterMs: number): void {
    delivering = true;
    inBackground(
      deliverAll(seq, laterMs).finally(() => {
        delivering = false;
      }),
    );
  }

  async function deliverAll(first: number, laterMs: number): Promise<void> {
    if (laterMs > 0) await sleep(laterMs, { summary: `webhook ${first} again` });
    for (let seq: number | undefined = first; seq !== undefined; seq = queue.shift())
      await deliverWebhook.executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq }]);
  }
}
