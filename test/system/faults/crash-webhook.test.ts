import { expect, test } from '@jest/globals';
import { claim, fiatSent } from '../../support/actors.ts';
import { inCrashTest } from '../../support/crash-test.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { newOrder } from '../../support/repeated-steps.ts';

/** Kills a worker while it delivers a webhook. The next worker waits until Temporal notices the death. */

test.concurrent.each([
  ['webhook.sent', 2],
  ['webhook.recorded', 1],
] as const)(
  'after a worker that died at %s the receiver has seen the same bytes %i times',
  inCrashTest(async ({ corridor, agent, lp, workerDiesDuring }, point, times) => {
    const id = await newOrder(agent, { callback_url: corridor.receiver.url });
    await workerDiesDuring(point, () => claim(lp, id));

    await corridor.startWorker();
    await eventuallyEquals(async () => (await fiatSent(lp, id)).status, 200);
    // Webhooks arrive in order: once the second has arrived, the first is finished.
    // Temporal waits half a minute for the dead worker's webhook.
    const hasArrived = async () =>
      corridor.receiver.received.some(({ body }) => body.order_id === id && body.status === 'fiat_sent');
    await eventually(hasArrived, 120_000);
    const claims = corridor.receiver.received.filter(
      ({ body }) => body.order_id === id && body.status === 'claimed',
    );
    expect(claims).toHaveLength(times);
    expect(new Set(claims.map(({ raw }) => raw)).size).toBe(1);
    expect(new Set(claims.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }),
);

test.concurrent(
  'a receiver gets three POSTs of a webhook, although a worker died during each attempt',
  inCrashTest(async ({ corridor, agent, lp, crashing, workerDiesDuring }) => {
    const id = await newOrder(agent, { callback_url: corridor.receiver.url });
    await workerDiesDuring('webhook.sent', () => claim(lp, id));
    for (let deaths = 1; deaths < 3; deaths++) await (await crashing.start('worker', 'webhook.sent')).died();

    await corridor.startWorker();
    const state = async () => {
      const sql = 'select state, attempts from webhook_delivery where order_id = $1 and seq = 2';
      return (await corridor.db.query<{ state: string; attempts: number }>('crash-webhook', sql, [id]))[0];
    };
    await eventually(async () => (await state())?.state === 'exhausted', 120_000);
    expect((await state())?.attempts).toBe(3);
    const posts = corridor.receiver.received.filter(({ body }) => body.order_id === id);
    expect(posts.map(({ body }) => body.status)).toEqual(['claimed', 'claimed', 'claimed']);
  }),
  300_000,
);
