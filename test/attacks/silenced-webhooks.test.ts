import { describe, expect, test } from '@jest/globals';
import { verifyLpWebhook } from '../../client/src/index.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { sandboxAddress } from '../../dev/registration.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type LpReceiver, lpReceiversForFile, turnOn, verified } from '../support/lp-receiver.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The thief of an LP's key silences the LP's webhooks before it moves the LP's payments: the LP must learn of both. */
const corridor = await useCorridor({ env: { ADDRESS_HOLD: '48h' } });
const newReceiver = lpReceiversForFile();

/** An LP whose webhooks have been on for an hour. */
async function listening(body: object = {}) {
  const [lp, receiver] = [await corridor.newLp(), await newReceiver()];
  const secret = await turnOn(lp, receiver.url, body);
  await corridor.sql(`update lp_webhook set set_at = now() - interval '1 hour' where lp_id = $1`, [lp.id]);
  return { lp, receiver, secret };
}
const turnOff = (lp: TestLp) => expectStatus(200, lp.call('DELETE', `/api/lp/${lp.key}/webhook`));
async function moveAddress(lp: TestLp): Promise<string> {
  const body = { symbol: 'usdt', chain: 'trx', address: sandboxAddress() };
  await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, body));
  return body.address;
}
const moved = (receiver: LpReceiver, address: string) =>
  receiver.received.filter(({ body }) => body.data.address === address);
const changes = (receiver: LpReceiver) =>
  receiver.received.filter(({ body }) => body.type === 'lp.webhook_changed');
/** Waits until the receiver has learnt of the address, and returns the warning. */
const warned = (receiver: LpReceiver, address: string) => eventually(async () => moved(receiver, address)[0]);

describe('the LP’s own receiver learns of a changed webhook and a changed address, under the LP’s own secret', () => {
  test('after the thief has removed the webhook', async () => {
    const { lp, receiver, secret } = await listening();
    await turnOff(lp);
    const address = await moveAddress(lp);
    expect(verified(secret, await warned(receiver, address))).toMatchObject({ type: 'lp.address_changed' });
    const change = await eventually(async () => changes(receiver)[0]);
    expect(verifyLpWebhook({ secret, body: change.raw, headers: change.headers })).toEqual({
      type: 'lp.webhook_changed',
      timestamp: expect.stringMatching(/Z$/),
      data: { host: null, events: null },
    });
    expect((await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/webhook`))).state).toBe('off');
    expect([moved(receiver, address).length, changes(receiver).length]).toEqual([1, 1]);
  });

  test('after the thief has put its own URL in place of the LP’s', async () => {
    const { lp, receiver, secret } = await listening();
    const thief = await newReceiver();
    await turnOn(lp, thief.url, { events: ['order.open'] });
    const address = await moveAddress(lp);
    expect(verified(secret, await warned(receiver, address))).toMatchObject({ type: 'lp.address_changed' });
    const [change] = await eventually(async () => changes(receiver).length > 0 && changes(receiver));
    // The URL itself may have a secret in it, and the previous receiver may be another company's.
    expect(change?.body.data).toEqual({ host: new URL(thief.url).host, events: ['order.open'] });
    expect(thief.received).toEqual([]);
  });

  test('after the thief has made another secret for the LP’s URL, without an overlap', async () => {
    const { lp, receiver, secret } = await listening();
    const stolen = await turnOn(lp, receiver.url, { overlap: 0 });
    const warning = await warned(receiver, await moveAddress(lp));
    for (const known of [secret, stolen]) expect(() => verified(known, warning)).not.toThrow();
    expect(moved(receiver, String(warning.body.data.address))).toHaveLength(1);
  });

  test('after the thief has left out the events', async () => {
    const { lp, receiver, secret } = await listening();
    await turnOn(lp, receiver.url, { events: ['order.open'], overlap: 0 });
    const warning = await warned(receiver, await moveAddress(lp));
    expect(verified(secret, warning)).toEqual(warning.body);
  });

  test('and of a withdrawal that the thief has requested after it removed the webhook', async () => {
    const { lp, receiver, secret } = await listening();
    await turnOff(lp);
    const terms = { amount: 12.5, asset: 'usdt', chain: 'trx', address: sandboxAddress() };
    const withdraw = () => lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, terms);
    const { id } = await expectStatus(201, withdraw());
    const warning = await warned(receiver, terms.address);
    expect(verifyLpWebhook({ secret, body: warning.raw, headers: warning.headers })).toEqual({
      type: 'lp.withdrawal_requested',
      timestamp: expect.stringMatching(/Z$/),
      data: { id, ...terms },
    });
    // The same request again reserves nothing more, so there is nothing to report.
    await expectStatus(200, withdraw());
    const next = await moveAddress(lp);
    await warned(receiver, next);
    expect(moved(receiver, terms.address)).toHaveLength(1);
  });

  test('if the thief moves the address first and removes the webhook right behind it', async () => {
    const { lp, receiver } = await listening();
    const address = await moveAddress(lp);
    await turnOff(lp);
    await warned(receiver, address);
  });

  test('if the thief moves the address first and then points the webhook elsewhere', async () => {
    const [{ lp, receiver }, thief] = [await listening(), await newReceiver()];
    const address = await moveAddress(lp);
    await turnOn(lp, thief.url);
    await warned(receiver, address);
    expect(moved(thief, address)).toEqual([]);
  });

  test('after many changes to receivers that hang, of which few get a warning', async () => {
    const [{ lp, receiver }, thief] = [await listening(), await newReceiver()];
    thief.answer.status = 'hang';
    for (let i = 0; i < 150; i++) await turnOn(lp, `${thief.url}/${i}`);
    const address = await moveAddress(lp);
    await warned(receiver, address);
    const [{ n }] = await corridor.sql(
      `select count(*)::int as n from webhook_delivery where lp_id = $1 and url is not null`,
      [lp.id],
    );
    // Only a receiver that was in use longer than the others before it gets one. Durations are random, so these are few.
    expect(n).toBeLessThan(75);
  });

  test('also if the webhook was stopped before', async () => {
    const { lp, receiver } = await listening();
    await corridor.sql('update lp_webhook set stopped_at = now() where lp_id = $1', [lp.id]);
    await turnOff(lp);
    await warned(receiver, await moveAddress(lp));
  });
});

test('two changes at the same time both reach a receiver that had the webhook', async () => {
  const { lp, receiver } = await listening();
  await Promise.all(Array.from({ length: 8 }, () => turnOff(lp)));
  await warned(receiver, await moveAddress(lp));
  expect(await corridor.sql('select from former_lp_webhook where lp_id = $1', [lp.id])).toHaveLength(1);
  await eventually(async () => changes(receiver).length > 0);
  expect(changes(receiver)).toHaveLength(1);
});

test('a former webhook is warned for as long as a change of an address waits, and no longer', async () => {
  const [{ lp, receiver }, present] = [await listening(), await newReceiver()];
  await turnOn(lp, present.url);
  const left = `select extract(epoch from kept_until - now()) / 3600 as hours from former_lp_webhook where lp_id = $1`;
  const [{ hours }] = await corridor.sql(left, [lp.id]);
  expect(Math.round(hours)).toBe(48);
  await corridor.sql('update former_lp_webhook set kept_until = now() where lp_id = $1', [lp.id]);
  const address = await moveAddress(lp);
  await warned(present, address);
  expect(moved(receiver, address)).toEqual([]);
});

test('no other LP’s former webhook learns of it', async () => {
  const [one, other] = [await listening(), await listening()];
  await turnOff(one.lp);
  await turnOff(other.lp);
  const address = await moveAddress(one.lp);
  await warned(one.receiver, address);
  await eventually(async () => changes(other.receiver).length > 0);
  expect(moved(other.receiver, address)).toEqual([]);
});

test('an admin sees where a warning went, and sends it again to the same URL', async () => {
  const { lp, receiver } = await listening();
  receiver.answer.status = 500;
  await turnOff(lp);
  const listed = async () => {
    const { deliveries } = await expectStatus(200, corridor.admin('GET', '/api/admin/webhook-deliveries'));
    return deliveries.find((each: { lp_id: number }) => each.lp_id === lp.id);
  };
  await eventuallyEquals(async () => (await listed())?.state, 'exhausted');
  const { id, callback_url } = await listed();
  expect(callback_url).toBe(receiver.url);
  receiver.answer.status = 204;
  const redeliver = `/api/admin/webhook-deliveries/${id}/redeliver`;
  await expectStatus(202, corridor.admin('POST', redeliver, {}));
  await eventuallyEquals(async () => (await listed()).state, 'delivered');
  // Nothing can sign it once the former webhook is no longer kept.
  await corridor.sql('update former_lp_webhook set kept_until = now() where lp_id = $1', [lp.id]);
  expect((await corridor.admin('POST', redeliver, {})).status).toBe(404);
});
