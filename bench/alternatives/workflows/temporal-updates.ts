import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import { type Answer, CHANGES, type ChangeRequest, REFUSED } from '../changes.ts';
import type { UpdateActivities } from '../temporal-updates.ts';
import { createWebhooks } from './webhooks.ts';

const changes = proxyLocalActivities<Pick<UpdateActivities, 'carryOutRequest' | 'complete'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});
const verification = proxyActivities<Pick<UpdateActivities, 'verify'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

const requestUpdate = defineUpdate<Answer, [ChangeRequest]>('request');

/** One order. It performs requests in order of arrival, and nothing else changes its row. */
export async function order(orderId: number, callbackUrl: string | null): Promise<void> {
  const webhooks = createWebhooks(orderId, callbackUrl);
  let status: string = 'matched';
  let busy = false;
  const isPossible = ({ change }: ChangeRequest) => CHANGES[change].from === status;

  setHandler(
    requestUpdate,
    async (request) => {
      // All waiting handlers wake together, so another one may have started first.
      while (busy) await condition(() => !busy);
      if (!isPossible(request)) return 'refused';
      busy = true;
      try {
        const answer = await changes.carryOutRequest(orderId, request);
        if (answer === 'done') changed(CHANGES[request.change].to);
        return answer;
      } finally {
        busy = false;
      }
    },
    {
      // A request that the validator refuses leaves no event in the history.
      validator: (request: ChangeRequest) => {
        if (!isPossible(request)) throw ApplicationFailure.nonRetryable('Not now', REFUSED);
      },
    },
  );

  await condition(() => status === CHANGES.settle.to);
  await verification.verify(orderId);
  await changes.complete(orderId);
  changed(CHANGES.complete.to);
  await condition(allHandlersFinished);
  await webhooks.sent();

  function changed(to: string): void {
    status = to;
    webhooks.send(to);
  }
}
