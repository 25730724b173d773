import { afterAll, expect, test } from '@jest/globals';
import { verifyLpWebhook } from '../../client/src/webhooks.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { lpWebhookBody } from '../../src/api/resources/lp-webhook/body.ts';
import { publishTerms, type TermsChange } from '../../src/market/lps/publish-terms.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type LpReceiver, startLpReceiver, turnOn, verified } from '../support/lp-receiver.ts';
import type { TestLp } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Webhooks to LPs about their terms, with real receivers. */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
/** Its rate stays valid while those of the others expire. */
await corridor.newLp();
const receivers: LpReceiver[] = [];
afterAll(() => {
  for (const receiver of receivers) receiver.close();
});

async function listening() {
  const [lp, receiver] = [await corridor.newLp({ collateral: 10_000 }), await startLpReceiver()];
  receivers.push(receiver);
  return { lp, receiver, secret: await turnOn(lp, receiver.url) };
}
const publish = (lp: TestLp, change: TermsChange) =>
  publishTerms(corridor.db, { lpId: lp.id, currency: 'KES', method: 'mobile_money' }, change);
const received = ({ received }: LpReceiver, type: string) =>
  received.filter(({ body }) => body.type === type);
const listed = async (lp: TestLp) => {
  const page = await expectStatus(200, corridor.admin('GET', '/api/admin/webhook-deliveries?limit=100'));
  return page.deliveries.filter((one: { lp_id: number }) => one.lp_id === lp.id);
};

test('an LP gets webhooks about an expired rate and a low float, signed with its own secret', async () => {
  const { lp, receiver, secret } = await listening();
  await publish(lp, { float: '2000', float_low: '1000' });
  await expectStatus(200, lp.claim(await agent.newOrder()));
  await eventually(async () => received(receiver, 'lp.float_low').length > 0);
  const [low] = received(receiver, 'lp.float_low');
  const corridorOf = { currency: 'KES', method: 'mobile_money' };
  expect(low?.body.data).toEqual({ ...corridorOf, float: 705, float_reserved: 1295, float_low: 1000 });

  await publish(lp, { rate: { rate_usd: '129.5', validForMs: 1 } });
  await eventually(async () => received(receiver, 'lp.rate_expired').length > 0);
  const [expired] = received(receiver, 'lp.rate_expired');
  expect(expired?.body.data).toMatchObject({
    ...corridorOf,
    rate_usd: 129.5,
    valid_until: expired?.body.timestamp,
  });

  for (const webhook of [low, expired]) {
    if (!webhook) throw new Error('A webhook is missing');
    expect(verified(secret, webhook)).toEqual(lpWebhookBody.parse(webhook.body));
    expect(verifyLpWebhook({ secret, body: webhook.raw, headers: webhook.headers })).toEqual(webhook.body);
  }
  // The LP's other webhooks have not changed.
  const next = await agent.newOrder({ amount: 500 });
  await receiver.next(next, 'order.open');
  expect([received(receiver, 'lp.float_low').length, received(receiver, 'lp.rate_expired').length]).toEqual([
    1, 1,
  ]);
});

test('admins see and resend a webhook about terms; agents do neither', async () => {
  const { lp, receiver } = await listening();
  receiver.answer.status = 500;
  await publish(lp, { float: '1', float_low: '2' });
  await eventuallyEquals(async () => (await listed(lp))[0]?.state, 'exhausted');
  const [delivery] = await listed(lp);
  expect(delivery).toMatchObject({
    ...{ order_id: null, seq: null, status: null, agent_key_id: null },
    ...{ lp_id: lp.id, lp_event: 'lp.float_low', callback_url: receiver.url },
  });
  expect(delivery.attempts).toHaveLength(3);
  const again = `webhook-deliveries/${delivery.id}/redeliver`;
  expect((await agent.call('POST', `/api/v1/${again}`, {})).status).toBe(404);
  receiver.answer.status = 204;
  await expectStatus(202, corridor.admin('POST', `/api/admin/${again}`, {}));
  await eventuallyEquals(async () => (await listed(lp))[0]?.state, 'delivered');
  expect(new Set(receiver.received.map(({ raw, headers }) => raw + headers['webhook-id'])).size).toBe(1);
  await expectSoundWhenStill(corridor);
});
