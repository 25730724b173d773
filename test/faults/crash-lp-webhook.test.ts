import { expect, test } from '@jest/globals';
import { claim, newOrder } from '../support/actors.ts';
import { atCrashSite } from '../support/crash-site.ts';
import { startLpReceiver, turnOn, verified } from '../support/lp-receiver.ts';

/** Kills a worker while it queues or sends a webhook to an LP. Another worker goes on where it was. */

test.concurrent.each([
  ['lpwebhooks.read', 1],
  ['lpwebhooks.queued', 1],
  ['webhook.sent', 2],
  ['webhook.recorded', 1],
] as const)(
  'after a worker that died at %s the LP has received each event, the first one %i times under one id',
  atCrashSite(async ({ corridor, agent, lp, workerDiesOver }, point, times) => {
    const receiver = await startLpReceiver();
    try {
      const secret = await turnOn(lp, receiver.url);
      let id = 0;
      await workerDiesOver(point, async () => {
        id = await newOrder(agent);
      });
      await corridor.startWorker();
      await claim(lp, id);
      await receiver.next(id, 'order.updated');
      // In order: what follows an event has waited until it was finished.
      expect([...new Set(receiver.of(id))]).toEqual(['order.open', 'order.closed', 'order.updated']);
      const opened = receiver.received.filter(({ body }) => body.type === 'order.open');
      expect(opened).toHaveLength(times);
      expect(new Set(opened.map(({ raw, headers }) => raw + headers['webhook-id'])).size).toBe(1);
      expect(receiver.of(id)).toHaveLength(times + 2);
      for (const webhook of receiver.received) expect(verified(secret, webhook)).toEqual(webhook.body);
    } finally {
      receiver.close();
    }
  }),
  300_000,
);
