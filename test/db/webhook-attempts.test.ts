import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { createRecentEndpoints } from '../../activities/recent-endpoints.ts';
import { webhookActivities } from '../../activities/webhooks.ts';
import { createWebhookMetrics } from '../../src/adapters/metrics/webhooks.ts';
import { createWebhookSender } from '../../src/adapters/webhook-http.ts';
import { beginAttempt } from '../../src/notify/webhooks/deliveries.ts';
import { reopenDelivery } from '../../src/notify/webhooks/reopen-delivery.ts';
import { WEBHOOKS } from '../../src/operations/diagnosis/checks/webhooks.ts';
import { findingsOf, runChecks } from '../../src/operations/diagnosis/finding.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = 'a secret of the tests';

/** The received POSTs, oldest first. */
const open: ServerResponse[] = [];
const bodies: string[] = [];
/** The status that the receiver answers without waiting for the test. */
let inlineStatus: number | undefined;
const receivers = createRecentEndpoints();
const webhookMetrics = createWebhookMetrics(new Registry());
const deps = () => ({
  db: books.db,
  chains: new Map(),
  sendWebhook: sender,
  webhookSecret: SECRET,
  sealing: { commandSecret: 'another secret of the tests' },
  log: createLogger('silent'),
  webhookMetrics,
});
const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
const receiver = createServer(async (request, response) => {
  bodies.push(await text(request));
  if (inlineStatus) response.writeHead(inlineStatus).end();
  else open.push(response);
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const sender = createWebhookSender({ allowPrivate: true });
const activities = webhookActivities(deps(), receivers);
afterAll(async () => {
  sender.close();
  receiver.closeAllConnections();
  receiver.close();
  await books.db.close();
});

/** Creates a claimed order, and returns the key of its webhook. */
async function owedWebhook() {
  const draft = await books.draft(lp, '1295');
  await books.create({ ...draft, callback_url: url() });
  await books.apply(draft.id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
  return { orderId: draft.id, seq: 2 };
}

type Webhook = Awaited<ReturnType<typeof owedWebhook>>;
async function idOf({ orderId, seq }: Webhook): Promise<number> {
  const sql = 'select id from webhook_delivery where order_id = $1 and seq = $2';
  const [row] = await books.db.query<{ id: number }>('attempts-id', sql, [orderId, seq]);
  return row?.id ?? 0;
}
const deliver = (webhook: Webhook) => activities.deliverWebhook(webhook);
/** Waits for the POST with this index, which the test answers. */
const post = (place: number): Promise<ServerResponse> => eventually(async () => open[place]);
/** Ends the lease of a run's attempt, as if its worker had died. */
const endLease = ({ orderId, seq }: Webhook) =>
  books.db.pool.query(
    `update webhook_delivery set next_attempt_at = now() - interval '1 second' where order_id = $1 and seq = $2`,
    [orderId, seq],
  );
/** Takes the next attempt, like a worker that then dies. */
async function workerDied(webhook: Webhook): Promise<void> {
  const body = JSON.stringify({ order_id: webhook.orderId, status: 'claimed' });
  const { attempt } = await beginAttempt(books.db, await idOf(webhook), body);
  expect(attempt).not.toBeNull();
  await endLease(webhook);
}
/** Makes the receiver answer without waiting for the test. */
async function answering<T>(status: number, work: () => Promise<T>): Promise<T> {
  inlineStatus = status;
  return work().finally(() => {
    inlineStatus = undefined;
  });
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
    `select attempt, status_code from webhook_attempt join webhook_delivery d on d.id = delivery_id
     where order_id = $1 and seq = $2 order by attempt`,
    values,
  );
  return { ...delivery, attempts: attempts.map(({ attempt, status_code }) => [attempt, status_code]) };
}
const findings = async () => findingsOf(await runChecks(books.db, WEBHOOKS));

/** The inline first attempt, to a recently fast receiver. */
function inlineAttempt(webhook: Webhook): Promise<unknown> {
  receivers.recordAnswer(new URL(url()).origin, 1);
  return activities.deliverInline(webhook);
}

describe('a receiver gets at most three POSTs', () => {
  test('from many concurrent runs', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    const runs = () => Promise.all(Array.from({ length: 8 }, () => deliver(webhook)));
    expect(new Set(await answering(500, runs))).toEqual(new Set(['exhausted']));
    expect(bodies).toHaveLength(before + 3);
    expect(new Set(bodies.slice(before)).size).toBe(1);
    const attempts = [
      [1, 500],
      [2, 500],
      [3, 500],
    ];
    expect(await recorded(webhook)).toEqual({ state: 'exhausted', finished: true, attempts });
    expect(await findings()).toEqual([]);
  });

  test('and a run waits for the answer to another run’s POST', async () => {
    const [webhook, place] = [await owedWebhook(), open.length];
    const runs = [deliver(webhook), deliver(webhook), deliver(webhook)];
    const posted = await post(place);
    // A run that starts before the receiver has answered gets no attempt.
    const { attempt } = await beginAttempt(books.db, await idOf(webhook), '{}');
    expect(attempt).toBeNull();
    posted.writeHead(204).end();
    expect(await Promise.all(runs)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(open).toHaveLength(place + 1);
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts: [[1, 204]] });
  });

  test('when workers die during attempts', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    await workerDied(webhook);
    await workerDied(webhook);
    expect(await answering(200, () => deliver(webhook))).toBe('delivered');
    expect(bodies).toHaveLength(before + 1);
    const attempts = [
      [1, null],
      [2, null],
      [3, 200],
    ];
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts });
  });

  test('when a worker dies during the last', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    for (let i = 0; i < 3; i++) await workerDied(webhook);
    expect(await answering(200, () => deliver(webhook))).toBe('exhausted');
    expect(bodies).toHaveLength(before);
    expect(await recorded(webhook)).toMatchObject({ state: 'exhausted', finished: true });
    expect(await findings()).toEqual([]);
  });

  test('and three more on request', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    expect(await answering(500, () => deliver(webhook))).toBe('exhausted');
    await reopenDelivery(books.db, await idOf(webhook));
    expect(await answering(500, () => deliver(webhook))).toBe('exhausted');
    expect(bodies).toHaveLength(before + 6);
  });
});

test('an exhausted webhook becomes delivered when the receiver accepts an attempt late', async () => {
  const [webhook, place] = [await owedWebhook(), open.length];
  const late = deliver(webhook);
  const first = await post(place);
  await endLease(webhook);
  expect(await answering(500, () => deliver(webhook))).toBe('exhausted');
  first.writeHead(200).end();
  expect(await late).toBe('delivered');
  const attempts = [
    [1, 200],
    [2, 500],
    [3, 500],
  ];
  expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts });
  expect(await findings()).toEqual([]);
});

test('a worker that stops leaves the remaining attempts to another', async () => {
  const [webhook, before] = [await owedWebhook(), bodies.length];
  const run = () => activities.deliverWebhook(webhook, AbortSignal.abort());
  await expect(answering(500, run)).rejects.toMatchObject({ type: 'WorkerStops' });
  expect(bodies).toHaveLength(before + 1);
  expect(await answering(200, () => deliver(webhook))).toBe('delivered');
});

describe('the inline attempt', () => {
  test('is not made to an unknown receiver', async () => {
    const strangers = webhookActivities(deps());
    const [webhook, before] = [await owedWebhook(), bodies.length];
    expect(await strangers.deliverInline(webhook)).toBe('later');
    expect(bodies).toHaveLength(before);
    expect(await recorded(webhook)).toMatchObject({ state: 'pending', attempts: [] });
  });

  test('is made once to a recently fast receiver', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    expect(await answering(200, () => inlineAttempt(webhook))).toBe('done');
    expect(await recorded(webhook)).toEqual({ state: 'delivered', finished: true, attempts: [[1, 200]] });
    expect(await inlineAttempt(webhook)).toBe('done');
    expect(bodies).toHaveLength(before + 1);
  });

  test('is the first of three if the receiver refuses it', async () => {
    const [webhook, before] = [await owedWebhook(), bodies.length];
    expect(await answering(503, () => inlineAttempt(webhook))).toBe('later');
    expect(await answering(503, () => deliver(webhook))).toBe('exhausted');
    expect(bodies).toHaveLength(before + 3);
  });

  test('continues while a receiver hangs, and the retrying activity waits for its answer', async () => {
    const [webhook, place] = [await owedWebhook(), open.length];
    expect(await inlineAttempt(webhook)).toBe('later');
    expect(await recorded(webhook)).toMatchObject({ state: 'pending', attempts: [[1, null]] });
    // The endpoint no longer counts as recently fast.
    expect(await activities.deliverInline(await owedWebhook())).toBe('later');
    expect(open).toHaveLength(place + 1);
    const run = deliver(webhook);
    (await post(place)).writeHead(200).end();
    expect(await run).toBe('delivered');
    expect(open).toHaveLength(place + 1);
    expect(await recorded(webhook)).toMatchObject({ attempts: [[1, 200]] });
  });
});
