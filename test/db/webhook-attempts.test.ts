import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { createSwiftPeers } from '../../activities/swift-peers.ts';
import { webhookActivities } from '../../activities/webhooks.ts';
import { createWebhookSender } from '../../src/adapters/webhook-http.ts';
import { breachesOf } from '../../src/invariants/breach.ts';
import { WEBHOOKS } from '../../src/invariants/webhooks.ts';
import { createWebhookMetrics } from '../../src/metrics/webhooks.ts';
import { type Books, openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = 'a secret of the tests';
let books: Books;
let lp: number;
let receiver: Server;
let sender: ReturnType<typeof createWebhookSender>;
let activities: ReturnType<typeof webhookActivities>;
/** What has been posted, oldest first. */
const open: ServerResponse[] = [];
const bodies: string[] = [];
/** What is answered without waiting for the test to say so. */
let atOnceStatus: number | undefined;
const receivers = createSwiftPeers();
const webhookMetrics = createWebhookMetrics(new Registry());
const deps = () => ({ db: books.db, sendWebhook: sender, webhookSecret: SECRET, webhookMetrics });
const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

beforeAll(async () => {
  books = await openBooks();
  lp = await books.newLp();
  await books.deposit(lp, '1000');
  receiver = createServer(async (request, response) => {
    bodies.push(await text(request));
    if (atOnceStatus) response.writeHead(atOnceStatus).end();
    else open.push(response);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  sender = createWebhookSender({ allowPrivate: true });
  activities = webhookActivities(deps(), receivers);
});
afterAll(async () => {
  sender.close();
  receiver.closeAllConnections();
  receiver.close();
  await books.db.close();
});

/** A claimed order; gives what names its webhook. */
async function owedWebhook() {
  const draft = await books.draft(lp, '1295');
  await books.create({ ...draft, callback_url: url() });
  await books.act(draft.id, { trigger: 'claim', lpId: lp, collateral: '10.00', validUntil: 'infinity' });
  return { orderId: draft.id, seq: 2 };
}

type Webhook = Awaited<ReturnType<typeof owedWebhook>>;
/** A run that has posted the webhook, and is answered when the test says so; gives what comes of the run. */
async function posted(webhook: Webhook): Promise<(status: number) => Promise<string>> {
  const before = open.length;
  const run = activities.deliverWebhook(webhook).catch(({ type }) => type);
  const response = await eventually(async () => open[before]);
  return (status) => {
    response.writeHead(status).end();
    return run;
  };
}
async function recorded({ orderId, seq }: Webhook) {
  const values = [orderId, seq];
  const [delivery] = await books.db.query<{ state: string; finished: boolean }>(
    'attempts-delivery',
    `select state, finished_at is not null as finished from webhook_delivery where order_id = $1 and seq = $2`,
    values,
  );
  const attempts = await books.db.query<{ attempt: number; status_code: number }>(
    'attempts-all',
    `select attempt, status_code from webhook_attempt where order_id = $1 and seq = $2 order by attempt`,
    values,
  );
  return { ...delivery, attempts: attempts.map(({ attempt, status_code }) => [attempt, status_code]) };
}
const breaches = () => breachesOf(books.db, WEBHOOKS);

/** The first attempt in the step's own task, to a receiver that was swift and answers with this status, or not at all. */
async function atOnce(webhook: Webhook, status?: number): Promise<unknown> {
  receivers.took(new URL(url()).origin, 1);
  atOnceStatus = status;
  return activities.deliverAtOnce(webhook).finally(() => {
    atOnceStatus = undefined;
  });
}

describe('two runs of one delivery at the same time, as after a worker that came back from a pause', () => {
  test('both are recorded when the first fails and the second is taken', async () => {
    const webhook = await owedWebhook();
    const [first, second] = [await posted(webhook), await posted(webhook)];
    expect(await first(500)).toBe('WebhookNotDelivered');
    expect(await second(200)).toBe('delivered');
    const attempts = [
      [1, 500],
      [2, 200],
    ];
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts });
    expect(await breaches()).toEqual([]);
  });

  test('what a receiver took stays delivered when the other run fails', async () => {
    const webhook = await owedWebhook();
    const [first, second] = [await posted(webhook), await posted(webhook)];
    expect(await first(204)).toBe('delivered');
    expect(await second(500)).toBe('delivered');
    const attempts = [
      [1, 204],
      [2, 500],
    ];
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts });
    expect(await breaches()).toEqual([]);
  });

  test('a webhook that was given up meanwhile is delivered when its receiver took it', async () => {
    const webhook = await owedWebhook();
    const late = await posted(webhook);
    for (const end of ['WebhookNotDelivered', 'WebhookNotDelivered', 'exhausted'])
      expect(await (await posted(webhook))(500)).toBe(end);
    expect(await recorded(webhook)).toMatchObject({ state: 'exhausted' });
    expect(await late(200)).toBe('delivered');
    const attempts = [
      [1, 500],
      [2, 500],
      [3, 500],
      [4, 200],
    ];
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts });
    expect(await breaches()).toEqual([]);
  });
});

describe('at once', () => {
  test('nothing is sent to a receiver that nobody knows', async () => {
    const strangers = webhookActivities(deps());
    const [webhook, before] = [await owedWebhook(), bodies.length];
    expect(await strangers.deliverAtOnce(webhook)).toEqual({ laterMs: 0 });
    expect(bodies).toHaveLength(before);
    expect(await recorded(webhook)).toMatchObject({ state: 'pending', attempts: [] });
  });

  test('a swift receiver is told, once', async () => {
    const webhook = await owedWebhook();
    expect(await atOnce(webhook, 200)).toBe('done');
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts: [[1, 200]] });
    const before = bodies.length;
    expect(await atOnce(webhook, 200)).toBe('done');
    expect(bodies).toHaveLength(before);
  });

  test('a refusal is the first of the attempts, and the others come after their pause', async () => {
    const webhook = await owedWebhook();
    expect(await atOnce(webhook, 503)).toEqual({ laterMs: 400 });
    expect(await (await posted(webhook))(503)).toBe('WebhookNotDelivered');
    expect(await (await posted(webhook))(200)).toBe('delivered');
    const attempts = [
      [1, 503],
      [2, 503],
      [3, 200],
    ];
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts });
  });

  test('a receiver that hangs is cut off, and the patient activity sends it the same bytes', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    expect(await atOnce(webhook)).toEqual({ laterMs: 0 });
    expect(bodies).toHaveLength(before + 1);
    expect(await recorded(webhook)).toMatchObject({ state: 'pending', attempts: [] });
    // It is not swift any more.
    expect(await activities.deliverAtOnce(webhook)).toEqual({ laterMs: 0 });
    expect(bodies).toHaveLength(before + 1);
    expect(await (await posted(webhook))(200)).toBe('delivered');
    expect(await recorded(webhook)).toMatchObject({ attempts: [[1, 200]] });
    expect(bodies.at(-1)).toBe(bodies.at(-2));
  });
});
