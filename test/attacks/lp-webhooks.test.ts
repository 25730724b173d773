import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { lpWebhookBody } from '../../src/notify/lp-webhooks/body.ts';
import { type newLp, recipientIn } from '../support/actors.ts';
import { dumpOf } from '../support/dump.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { lpReceiversForFile, turnOn, verified, type WebhookData } from '../support/lp-receiver.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Webhooks to LPs, with real receivers. */
const corridor = await useCorridor({ env: { RELEASE_GRACE: '1ms' } });
const agent = await corridor.newAgent();
const newReceiver = lpReceiversForFile();
/** An LP with its webhooks on, its receiver and the secret. */
async function listening(options: Parameters<typeof newLp>[1] = {}, body: object = {}) {
  const [lp, receiver] = [await corridor.newLp({ collateral: 10_000, ...options }), await newReceiver()];
  return { lp, receiver, secret: await turnOn(lp, receiver.url, body) };
}
const own = (lp: TestLp) => `/api/lp/${lp.key}/webhook`;
const read = (lp: TestLp) => expectStatus(200, lp.call('GET', own(lp)));
const suspend = ({ id }: TestLp, verb: 'suspend' | 'approve') =>
  expectStatus(200, corridor.admin('POST', `/api/admin/lps/${id}/${verb}`, {}));

describe('an LP’s webhooks', () => {
  test('are off until the LP sets a URL, and after it turns them off', async () => {
    const [lp, receiver] = [await corridor.newLp(), await newReceiver()];
    const witness = await listening();
    expect(await read(lp)).toMatchObject({ state: 'off', url: null, events: [] });
    const before = await agent.newOrder();
    await witness.receiver.next(before, 'order.open');
    await turnOn(lp, receiver.url);
    const during = await agent.newOrder();
    await receiver.next(during, 'order.open');
    await expectStatus(200, lp.call('DELETE', own(lp)));
    const after = await agent.newOrder();
    await witness.receiver.next(after, 'order.open');
    await turnOn(lp, receiver.url);
    const last = await agent.newOrder();
    await receiver.next(last, 'order.open');
    expect([receiver.of(before), receiver.of(after)]).toEqual([[], []]);
  });

  test('contain exactly what the LP’s feed contains', async () => {
    const { lp, receiver } = await listening();
    const other = await corridor.newLp();
    const changes = `/api/lp/${lp.key}/orders/changes`;
    const { cursor } = await expectStatus(200, lp.call('GET', changes));
    const ids = [await agent.newOrder({ callback_url: corridor.receiver.url }), await agent.newOrder()];
    const [mine = 0, lost = 0] = ids;
    await expectStatus(200, other.claim(lost));
    await receiver.next(lost, 'order.closed');
    await expectStatus(200, lp.claim(mine));
    await expectStatus(200, lp.fiatSent(mine));
    await eventually(async () => receiver.of(mine).length >= 4);
    const feed = (await expectStatus(200, lp.call('GET', `${changes}?cursor=${cursor}`))).changes;
    const received = receiver.received.map(({ body: { timestamp: _, data, ...beside } }) => ({
      ...beside,
      ...data,
    }));
    const sorted = (list: { type: string; cursor?: unknown }[]) =>
      [...list].sort((a, b) => `${a.cursor} ${a.type}`.localeCompare(`${b.cursor} ${b.type}`));
    const about = (list: (WebhookData & { type: string })[]) =>
      list.filter((each) => ids.includes(each.id ?? each.order?.id ?? 0));
    expect(sorted(about(received))).toEqual(sorted(about(feed)));
    expect(receiver.of(mine)).toEqual(['order.open', 'order.closed', 'order.updated', 'order.updated']);
    for (const { body, raw } of receiver.received) {
      const isOwn = body.type === 'order.updated';
      expect(raw.includes(recipientIn('KES'))).toBe(isOwn);
      for (const secret of ['callback_url', corridor.receiver.url, 'user_id'])
        expect(raw).not.toContain(secret);
    }
  });

  test('report only the selected events, and strikes', async () => {
    const { lp, receiver } = await listening({}, { events: ['lp.strike', 'order.updated', 'lp.strike'] });
    expect((await read(lp)).events).toEqual(['lp.strike', 'order.updated']);
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, lp.release(id));
    const { body } = await receiver.next(id, 'lp.strike');
    expect(body.data).toEqual({ order_id: id });
    expect(new Set(receiver.of(id))).toEqual(new Set(['order.updated', 'lp.strike']));
  });
});

describe('an LP', () => {
  test('without approval receives no offers, but its own orders, as on its socket', async () => {
    const [one, witness] = [await listening(), await listening()];
    const owned = await agent.newOrder();
    await expectStatus(200, one.lp.claim(owned));
    await suspend(one.lp, 'suspend');
    const hidden = await agent.newOrder();
    await witness.receiver.next(hidden, 'order.open');
    await expectStatus(200, one.lp.fiatSent(owned));
    await eventually(
      async () => one.receiver.of(owned).filter((type) => type === 'order.updated').length === 2,
    );
    await suspend(one.lp, 'approve');
    const seen = await agent.newOrder();
    await one.receiver.next(seen, 'order.open');
    expect(one.receiver.of(hidden)).toEqual([]);
  });

  test('that is suspended after an event does not receive it, although its webhook was due', async () => {
    const { lp } = await listening();
    const orderId = await agent.newOrder();
    const offer = { lpId: lp.id, event: 'order.open', orderId, seq: 1 } as const;
    expect(await lpWebhookBody(corridor.db, offer)).toContain('order.open');
    await suspend(lp, 'suspend');
    expect(await lpWebhookBody(corridor.db, offer)).toBeUndefined();
  });

  test('that has lost an order does not learn its recipient from a late webhook', async () => {
    const [lp, next] = [await corridor.newLp(), await corridor.newLp()];
    const orderId = await agent.newOrder();
    await expectStatus(200, lp.claim(orderId));
    const claimed = { lpId: lp.id, event: 'order.updated', orderId, seq: 2 } as const;
    expect(await lpWebhookBody(corridor.db, claimed)).toContain(recipientIn('KES'));
    await expectStatus(200, lp.release(orderId));
    await expectStatus(200, next.claim(orderId));
    expect(await lpWebhookBody(corridor.db, claimed)).not.toContain(recipientIn('KES'));
    // Another LP's order is not part of its feed.
    expect(await lpWebhookBody(corridor.db, { ...claimed, lpId: next.id })).toBeUndefined();
  });

  test('without an address for the token receives nothing about the order', async () => {
    const [one, witness] = [await listening({ asset: false }), await listening()];
    const asset = { symbol: 'usdt', chain: 'xrpl', address: 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe' };
    await expectStatus(201, one.lp.call('POST', `/api/lp/${one.lp.key}/assets`, asset));
    const id = await agent.newOrder();
    await witness.receiver.next(id, 'order.open');
    const barrier = await agent.newOrder({ crypto_chain: 'xrpl' });
    await one.receiver.next(barrier, 'order.open');
    expect(one.receiver.of(id)).toEqual([]);
  });

  test('can neither read, set nor turn off another LP’s webhooks', async () => {
    const [one, other] = [await listening(), await corridor.newLp()];
    const path = own(one.lp);
    for (const [method, body] of [['GET'], ['DELETE'], ['POST', { url: 'https://thief.example/' }]] as const)
      expect((await other.call(method, path, body)).status).toBe(401);
    expect(await read(one.lp)).toMatchObject({ state: 'on', url: one.receiver.url });
  });
});

describe('the secret', () => {
  test('signs as Standard Webhooks does, is shown once, and is not in the database', async () => {
    const { lp, receiver, secret } = await listening();
    const id = await agent.newOrder();
    const webhook = await receiver.next(id, 'order.open');
    expect(verified(secret, webhook)).toEqual(webhook.body);
    const { secret: another } = await listening();
    expect(() => verified(another, webhook)).toThrow();
    expect(() => verified(secret, { ...webhook, raw: `${webhook.raw} ` })).toThrow();
    const dashboard = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
    const log = await expectStatus(200, corridor.admin('GET', '/api/admin/webhook-deliveries?limit=100'));
    const dump = [...(await dumpOf(corridor.db)).values()].join('\n');
    const random = secret.replace('whsec_', '');
    for (const text of [JSON.stringify([await read(lp), dashboard, log]), dump])
      for (const form of [
        random,
        Buffer.from(random, 'base64').toString('hex'),
        Buffer.from(secret).toString('hex'),
      ])
        expect(text.includes(form)).toBe(false);
  });

  test('signs beside its successor for the overlap, and no longer', async () => {
    const { lp, receiver, secret: first } = await listening();
    const second = await turnOn(lp, receiver.url, { overlap: '1h' });
    const id = await agent.newOrder();
    const both = await receiver.next(id, 'order.open');
    for (const secret of [first, second]) expect(verified(secret, both)).toEqual(both.body);
    const end = `update lp_webhook set previous_expires_at = date_trunc('milliseconds', now()) where lp_id = $1`;
    await corridor.db.query('test-overlap-ends', end, [lp.id]);
    const later = await receiver.next(await agent.newOrder(), 'order.open');
    expect(verified(second, later)).toEqual(later.body);
    expect(() => verified(first, later)).toThrow();
    const third = await turnOn(lp, receiver.url, { overlap: 0 });
    const webhook = await receiver.next(await agent.newOrder(), 'order.open');
    expect(verified(third, webhook)).toEqual(webhook.body);
    for (const secret of [first, second]) expect(() => verified(secret, webhook)).toThrow();
  });
});

describe('a receiver that fails', () => {
  test('delays no other LP, even if many webhooks wait for it', async () => {
    const [stuck, quick] = [await listening(), await listening()];
    stuck.receiver.answer.status = 'hang';
    const ids: number[] = [];
    for (let i = 0; i < 25; i++) ids.push(await agent.newOrder());
    for (const id of ids) await quick.receiver.next(id, 'order.open');
    const { waiting, last_delivered_at } = await read(stuck.lp);
    expect([waiting, last_delivered_at]).toEqual([25, null]);
    await expectStatus(200, stuck.lp.call('DELETE', own(stuck.lp)));
  });

  test('gets three POSTs with the same id and bytes; an admin sees them and sends the webhook again', async () => {
    const { lp, receiver } = await listening();
    receiver.answer.status = 500;
    const id = await agent.newOrder();
    await eventually(async () => (await read(lp)).failing_since);
    expect(receiver.of(id)).toEqual(Array(3).fill('order.open'));
    expect(new Set(receiver.received.map(({ raw, headers }) => raw + headers['webhook-id'])).size).toBe(1);
    const path = `/api/admin/webhook-deliveries?order_id=${id}`;
    const { deliveries } = await expectStatus(200, corridor.admin('GET', path));
    const delivery = deliveries.find((each: { lp_id: number }) => each.lp_id === lp.id);
    expect(delivery).toMatchObject({
      lp_event: 'order.open',
      state: 'exhausted',
      callback_url: receiver.url,
    });
    // The order's agent neither sees it nor sends it again.
    const seen = await expectStatus(200, agent.call('GET', `/api/v1/webhook-deliveries?order_id=${id}`));
    expect(seen.deliveries).toEqual([]);
    const again = `webhook-deliveries/${delivery.id}/redeliver`;
    expect((await agent.call('POST', `/api/v1/${again}`, {})).status).toBe(404);
    receiver.answer.status = 204;
    await expectStatus(202, corridor.admin('POST', `/api/admin/${again}`, {}));
    await eventuallyEquals(async () => (await read(lp)).failing_since, null);
    expect(receiver.received.at(-1)?.raw).toBe(receiver.received[0]?.raw);
  });

  test('is stopped after a long time, and the dashboard says so', async () => {
    const { lp, receiver } = await listening();
    receiver.answer.status = 500;
    await agent.newOrder();
    await eventually(async () => (await read(lp)).failing_since);
    const sql = `update lp_webhook set failing_since = now() - interval '13 hours' where lp_id = $1`;
    await corridor.db.query('test-fails-long', sql, [lp.id]);
    await agent.newOrder();
    await eventuallyEquals(async () => (await read(lp)).state, 'stopped');
    const { webhook } = (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp;
    expect(webhook).toMatchObject({ state: 'stopped', last_error: 'the receiver answered 500' });
    expect((await read(lp)).waiting).toBe(0);
    const missed = await agent.newOrder();
    // The webhooks begin at the feed's position, which waits for older transactions.
    await waitForOlderTransactions(corridor.db);
    receiver.answer.status = 204;
    await turnOn(lp, receiver.url);
    await receiver.next(await agent.newOrder(), 'order.open');
    expect([receiver.of(missed), (await read(lp)).state]).toEqual([[], 'on']);
    await expectStatus(200, corridor.adminDoes('cancel', missed));
  });
});
