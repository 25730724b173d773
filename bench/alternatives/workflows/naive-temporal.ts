import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { ChangeRequest } from '../changes.ts';
import type { NaiveActivities } from '../naive-temporal.ts';

const changes = proxyActivities<Pick<NaiveActivities, 'carryOutRequest' | 'complete'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});
const verification = proxyActivities<Pick<NaiveActivities, 'verify'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

const requestSignal = defineSignal<[ChangeRequest]>('request');

/** One order. It performs requests in sequence, and after the settlement the verification concurrently. */
export async function order(orderId: number): Promise<void> {
  const requests: ChangeRequest[] = [];
  let completed: Promise<void> | undefined;
  let ended = false;
  setHandler(requestSignal, (request) => {
    requests.push(request);
  });

  for (;;) {
    await condition(() => requests.length > 0 || ended);
    const request = requests.shift();
    if (!request) break;
    const answer = await changes.carryOutRequest(orderId, request);
    if (request.change === 'settle' && answer === 'done') completed = complete();
  }
  await completed;

  async function complete(): Promise<void> {
    try {
      await verification.verify(orderId);
      await changes.complete(orderId);
    } finally {
      ended = true;
    }
  }
}
