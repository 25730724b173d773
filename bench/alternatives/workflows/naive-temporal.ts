import {
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { CHANGES, type ChangeRequest } from '../changes.ts';
import type { NaiveActivities } from '../naive-temporal.ts';
import { createWebhooks } from './webhooks.ts';

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
export const order = (orderId: number, callbackUrl: string | null): Promise<void> =>
  performRequests(orderId, callbackUrl, {
    waitFor: (isNext) => condition(isNext),
    show: () => {},
  });

/** The same with a deadline for each request, and its status where operators search. */
export const orderWithSameWork = (orderId: number, callbackUrl: string | null): Promise<void> =>
  performRequests(orderId, callbackUrl, {
    waitFor: async (isNext) => {
      await condition(isNext, '15 minutes');
    },
    show: (status) => {
      upsertSearchAttributes({ BenchStatus: [status] });
      upsertMemo({ status });
    },
  });

interface MoreWork {
  waitFor: (isNext: () => boolean) => Promise<void>;
  show: (status: string) => void;
}

async function performRequests(
  orderId: number,
  callbackUrl: string | null,
  { waitFor, show }: MoreWork,
): Promise<void> {
  const requests: ChangeRequest[] = [];
  const webhooks = createWebhooks(orderId, callbackUrl);
  let completed: Promise<void> | undefined;
  let ended = false;
  setHandler(requestSignal, (request) => {
    requests.push(request);
  });

  for (;;) {
    await waitFor(() => requests.length > 0 || ended);
    const request = requests.shift();
    if (!request) break;
    const answer = await changes.carryOutRequest(orderId, request);
    if (answer === 'refused') continue;
    changed(CHANGES[request.change].to);
    if (request.change === 'settle') completed = complete();
  }
  await completed;
  await webhooks.sent();

  async function complete(): Promise<void> {
    try {
      await verification.verify(orderId);
      await changes.complete(orderId);
      changed(CHANGES.complete.to);
    } finally {
      ended = true;
    }
  }

  function changed(status: string): void {
    show(status);
    webhooks.send(status);
  }
}
