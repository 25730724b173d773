import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { expectStatus } from '../../dev/http-client.ts';
import type { DeliveryView } from '../../src/api/resources/webhook-deliveries/schemas.ts';
import { createRedeliver } from '../../src/notify/webhooks/redeliver.ts';
import { WEBHOOKS } from '../../src/operations/diagnosis/checks/webhooks.ts';
import { findingsOf, runChecks } from '../../src/operations/diagnosis/finding.ts';
import { WEBHOOK_SECRET } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The receiver's answers to the attempts for each order, in turn. It answers 200 when the list is empty. */
const plans = new Map<number, number[]>();
const corridor = await useCorridor({
  answerWebhook: (received) => plans.get(received.at(-1)?.body.order_id ?? 0)?.shift() ?? 200,
});
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

const withWebhooks = () => ({ callback_url: corridor.receiver.url });
const deliveriesOf = async (orderId: number): Promise<DeliveryView[]> =>
  (await expectStatus(200, agent.call('GET', `/api/v1/webhook-deliveries?order_id=${orderId}`))).deliveries;
const redeliver = (id: number | string, by = agent) =>
  by.call('POST', `/api/v1/webhook-deliveries/${id}/redeliver`, {});
const receivedFor = (orderId: number) =>
  corridor.receiver.received.filter(({ body }) => body.order_id === orderId);
/** Waits until the delivery of the order's claim is in this state, and returns it. */
const settled = (orderId: number, state: string): Promise<DeliveryView> =>
  eventually(async () => (await deliveriesOf(orderId)).find((delivery) => delivery.state === state));
const codes = ({ attempts }: DeliveryView) =>
  attempts.map(({ attempt, status_code }) => [attempt, status_code]);

/** The order's webhooks in the database, and breaches of the invariants of all webhooks. */
const rowsOf = (orderId: number) =>
  corridor.db.query<{ state: string; attempts: number }>(
    'redelivery-rows',
    'select * from webhook_delivery where order_id = $1 order by seq',
    [orderId],
  );
const findings = async () => findingsOf(await runChecks(corridor.db, WEBHOOKS));

async function claimedOrder(plan: number[] = []): Promise<number> {
  const id = await agent.newOrder(withWebhooks());
  plans.set(id, plan);
  await expectStatus(200, lp.claim(id));
  return id;
}

test('the list of an order’s webhooks shows each attempt', async () => {
  const id = await claimedOrder([503]);
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  const duration_ms = expect.any(Number);
  expect(await settled(id, 'delivered')).toEqual({
    id: expect.any(Number),
    order_id: id,
    seq: 2,
    status: 'claimed',
    state: 'delivered',
    created_at: at,
    body: receivedFor(id)[0]?.raw,
    attempts: [
      { attempt: 1, status_code: 503, error: null, duration_ms, at, answer: '' },
      { attempt: 2, status_code: 200, error: null, duration_ms, at, answer: '' },
    ],
  });
});

describe('a redelivered webhook', () => {
  test('has the same bytes and id after it was exhausted, and its attempts continue the numbering', async () => {
    const id = await claimedOrder([500, 500, 500, 500]);
    const delivery = await settled(id, 'exhausted');
    expect(await redeliver(delivery.id)).toMatchObject({ status: 202, body: { ok: true } });
    expect(codes(await settled(id, 'delivered'))).toEqual([
      [1, 500],
      [2, 500],
      [3, 500],
      [4, 500],
      [5, 200],
    ]);
    const received = receivedFor(id);
    expect(new Set(received.map(({ raw }) => raw)).size).toBe(1);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(5).fill(`msg_${delivery.id}`));
    // The standard's own library, with the secret in the form that receivers get.
    const verifier = new Webhook(`whsec_${Buffer.from(WEBHOOK_SECRET).toString('base64')}`);
    for (const { raw, headers, signatureIsValid } of received) {
      expect(verifier.verify(raw, headers as Record<string, string>)).toEqual(JSON.parse(raw));
      expect(signatureIsValid).toBe(true);
    }
  });

  test('is exhausted after three more failed attempts', async () => {
    const id = await claimedOrder([200, 500, 500, 500]);
    const delivery = await settled(id, 'delivered');
    await expectStatus(202, redeliver(delivery.id));
    expect(codes(await settled(id, 'exhausted')).map(([, code]) => code)).toEqual([200, 500, 500, 500]);
  });

  test('is sent long after its order has ended, and does not change the order', async () => {
    const id = await agent.confirmedOrder(lp, withWebhooks());
    await agent.settle(id, await corridor.payment(agent, id));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
    await eventuallyEquals(async () => receivedFor(id).length, 5);
    // The order's workflow has ended.
    await eventuallyEquals(async () => (await corridor.shared.gateway.runningOrders()).has(id), false);

    const claimed = (await deliveriesOf(id)).find(({ status }) => status === 'claimed');
    await expectStatus(202, redeliver(claimed?.id ?? 0));
    await eventuallyEquals(async () => receivedFor(id).length, 6);
    expect(receivedFor(id).at(-1)?.raw).toBe(receivedFor(id)[0]?.raw);
    await eventuallyEquals(async () => (await corridor.shared.gateway.runningOrders()).has(id), false);
    expect(await agent.statusOf(id)).toBe('completed');
    expect((await deliveriesOf(id)).map(codes)).toEqual([
      [
        [1, 200],
        [2, 200],
      ],
      ...Array(4).fill([[1, 200]]),
    ]);
  });

  test('is sent once for many concurrent requests', async () => {
    const id = await claimedOrder();
    const delivery = await settled(id, 'delivered');
    await corridor.stopWorker();
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeliver(delivery.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(9).fill(409)]);
    expect(await redeliver(delivery.id)).toMatchObject({
      status: 409,
      body: { error: 'This webhook is still being sent' },
    });
    await corridor.startWorker();
    expect(codes(await settled(id, 'delivered'))).toHaveLength(2);
    expect(receivedFor(id)).toHaveLength(2);
  });
});

test('an agent neither sees nor redelivers the webhooks of another', async () => {
  const id = await claimedOrder();
  const delivery = await settled(id, 'delivered');
  const other = await corridor.newAgent();
  const answers = await Promise.all([
    other.call('GET', `/api/v1/webhook-deliveries?order_id=${id}`),
    redeliver(delivery.id, other),
    redeliver(9_999_999),
    redeliver('abc'),
  ]);
  for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: 'Not found' } });
  expect(receivedFor(id)).toHaveLength(1);
});

test('the list refuses an impossible order', async () => {
  for (const query of ['?order_id=', '?order_id=abc', '?order_id=-1']) {
    const { status, body } = await agent.call('GET', `/api/v1/webhook-deliveries${query}`);
    expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, ['order_id']]);
  }
});

test('while Temporal is unavailable, the webhook does not change', async () => {
  const id = await claimedOrder();
  const delivery = await settled(id, 'delivered');
  const rows = await rowsOf(id);
  const { db, shared } = corridor;
  const gone = () => Promise.reject(new Error('Temporal has just gone away'));
  const { gateway, log } = shared;
  for (const broken of [
    { ...gateway, redeliver: gone },
    { ...gateway, isReachable: async () => false },
  ]) {
    const attempt = createRedeliver({ db, gateway: broken, log });
    await expect(attempt(agent.keyId, delivery.id)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await deliveriesOf(id)).toEqual([delivery]);
    expect(await rowsOf(id)).toEqual(rows);
    expect(await findings()).toEqual([]);
  }
});

test('a redelivery whose first attempt has begun continues, although the API got no response from Temporal', async () => {
  let asked = 0;
  let heldOpen: ServerResponse | undefined;
  const receiver = createServer((_request, response) => {
    asked += 1;
    if (asked <= 3) response.writeHead(500).end();
    else heldOpen = response;
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const id = await agent.newOrder({ callback_url: url });
    await expectStatus(200, lp.claim(id));
    const delivery = await settled(id, 'exhausted');

    const { db, shared } = corridor;
    const { gateway, log } = shared;
    // Temporal accepts the signal, but its response does not arrive.
    const unanswered: typeof gateway.redeliver = async (...given) => {
      await gateway.redeliver(...given);
      await eventually(async () => heldOpen);
      throw new Error('no response within the deadline');
    };
    const attempt = createRedeliver({
      db,
      gateway: { ...gateway, redeliver: unanswered },
      log,
    });
    await expect(attempt(agent.keyId, delivery.id)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await rowsOf(id)).toMatchObject([{ state: 'pending', attempts: 4, attempts_before: 3 }]);
    expect(await findings()).toEqual([]);

    heldOpen?.writeHead(200).end();
    expect(codes(await settled(id, 'delivered'))).toEqual([
      [1, 500],
      [2, 500],
      [3, 500],
      [4, 200],
    ]);
    expect(await findings()).toEqual([]);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
