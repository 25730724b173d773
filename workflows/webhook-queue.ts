import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks.ts';
import type { Traced } from '../src/domain/traced.ts';
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

/** The webhooks that an order owes: each a number of one of its transitions, and whose doing that was. */
export interface WebhookQueue {
  /** Queued twice is no harm: what is no longer owed when its turn comes is left. */
  add: (seq: number, cause: Traced) => void;
  /** Takes over what the row says is owed. */
  replace: (owed: number[], cause: Traced) => void;
  /** Something is queued, and nothing is being delivered. */
  isDue: () => boolean;
  /** Makes the first attempts at what is due. Where one is in vain, it and all behind it are left to the background. */
  deliverDue: () => Promise<void>;
  isIdle: () => boolean;
}

interface Owed {
  seq: number;
  cause: Traced;
}

/** Delivers in the order of the transitions, one after the other; a slow receiver holds up nothing but its own webhooks. */
export function createWebhookQueue(orderId: number, owed: number[], cause: Traced): WebhookQueue {
  const queue: Owed[] = owed.map((seq) => ({ seq, cause }));
  let delivering = false;
  const isDue = () => queue.length > 0 && !delivering;
  return {
    add: (seq, cause) => {
      if (!known(seq)) queue.push({ seq, cause });
    },
    replace: (owedNow, cause) => {
      queue.splice(0, queue.length, ...owedNow.map((seq) => known(seq) ?? { seq, cause }));
    },
    isDue,
    deliverDue: async () => {
      while (isDue()) {
        const next = queue.shift() as Owed;
        const { seq, cause } = next;
        const first = await deliverAtOnce
          .executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq, ...cause }])
          .catch(leftToThePatient({ laterMs: 0 }));
        if (first !== 'done') deliverPatiently(next, first.laterMs);
      }
    },
    isIdle: () => !delivering && queue.length === 0,
  };

  function known(seq: number): Owed | undefined {
    return queue.find((owed) => owed.seq === seq);
  }

  function deliverPatiently(first: Owed, laterMs: number): void {
    delivering = true;
    inBackground(
      deliverAll(first, laterMs).finally(() => {
        delivering = false;
      }),
    );
  }

  async function deliverAll(first: Owed, laterMs: number): Promise<void> {
    if (laterMs > 0) await sleep(laterMs, { summary: `webhook ${first.seq} again` });
    for (let next: Owed | undefined = first; next !== undefined; next = queue.shift()) {
      const { seq, cause } = next;
      await deliverWebhook.executeWithOptions({ summary: `webhook ${seq}` }, [{ orderId, seq, ...cause }]);
    }
  }
}
