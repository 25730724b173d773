import { expect, test } from '@jest/globals';
import { publishTerms } from '../../../src/market/lps/publish-terms.ts';
import { claim } from '../../support/actors.ts';
import { inCrashTest } from '../../support/crash-test.ts';
import { eventually } from '../../support/eventually.ts';
import { startLpReceiver, turnOn, verified } from '../../support/lp-receiver.ts';
import { newOrder } from '../../support/repeated-steps.ts';

/** Kills a worker while it queues or sends a webhook to an LP. Another worker continues. */

test.concurrent.each([
  ['lpwebhooks.read', 1],
  ['lpwebhooks.queued', 1],
  ['webhook.sent', 2],
  ['webhook.recorded', 1],
] as const)(
  'after a worker that died at %s the LP has received each event, the first one %i times under one id',
  inCrashTest(async ({ corridor, agent, lp, workerDiesDuring }, point, times) => {
    const receiver = await startLpReceiver();
    try {
      const secret = await turnOn(lp, receiver.url);
      let id = 0;
      await workerDiesDuring(point, async () => {
        id = await newOrder(agent);
      });
      await corridor.startWorker();
      await claim(lp, id);
      await receiver.next(id, 'order.updated');
      // Webhooks are sent in order: the next event waited until the one before was finished.
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

test.concurrent.each([
  ['lpwebhooks.queued', 1],
  ['webhook.sent', 2],
  ['webhook.recorded', 1],
] as const)(
  'after a worker that died at %s the LP has heard of the expiry of its rate %i times under one id, and of no other',
  inCrashTest(async ({ corridor, lp, workerDiesDuring }, point, times) => {
    const receiver = await startLpReceiver();
    const of = (type: string) => receiver.received.filter(({ body }) => body.type === type);
    const publish = (change: Parameters<typeof publishTerms>[2]) =>
      publishTerms(corridor.db, { lpId: lp.id, currency: 'KES', method: 'mobile_money' }, change);
    try {
      const secret = await turnOn(lp, receiver.url, { events: ['lp.rate_expired', 'lp.float_low'] });
      await workerDiesDuring(point, () => publish({ rate: { rate_usd: '129.5', validForMs: 1 } }));
      await corridor.startWorker();
      await eventually(async () => of('lp.rate_expired').length === times);
      // A later event shows that the worker has read the terms again.
      await publish({ float: '1', float_low: '2' });
      await eventually(async () => of('lp.float_low').length > 0);
      const expiries = of('lp.rate_expired');
      expect(expiries).toHaveLength(times);
      expect(new Set(expiries.map(({ raw, headers }) => raw + headers['webhook-id'])).size).toBe(1);
      for (const webhook of receiver.received) expect(verified(secret, webhook)).toEqual(webhook.body);
    } finally {
      receiver.close();
    }
  }),
  300_000,
);
