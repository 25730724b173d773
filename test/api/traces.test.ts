import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  pay,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';

const CANARIES = {
  recipient: '+254700424242',
  recipient_name: 'Canary Of Nairobi',
  path: 'callback-canary',
};
const CALLER = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
const traceparent = ({ traceId, spanId }: typeof CALLER) => `00-${traceId}-${spanId}-01`;

let receiver: TraceReceiver;
let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;
const lines: string[] = [];

const spansOf = (traceId: string) => receiver.spans().filter((span) => span.traceId === traceId);
const isCalled = (name: string) => (span: ReceivedSpan) => span.name === name;

/** The spans of a trace, once all of these are there. */
const traceWith = (traceId: string, ...names: string[]): Promise<ReceivedSpan[]> =>
  eventually(async () => {
    const spans = spansOf(traceId);
    return names.every((name) => spans.some(isCalled(name))) && spans;
  }).catch(() => {
    throw new Error(
      `of ${names.join(', ')} there are only ${spansOf(traceId)
        .map(({ name }) => name)
        .join(', ')}`,
    );
  });

/** The names of the spans above one, the nearest first. */
function above(spans: ReceivedSpan[], name: string): string[] {
  const names: string[] = [];
  let span = spans.find(isCalled(name));
  for (;;) {
    const parent = spans.find(({ spanId }) => spanId === span?.parentSpanId);
    if (!parent) return names;
    names.push(parent.name);
    span = parent;
  }
}

const only = (spans: ReceivedSpan[], name: string): ReceivedSpan => {
  const [span, another] = spans.filter(isCalled(name));
  if (!span || another) throw new Error(`there is not one ${name}`);
  return span;
};

const CLAIM = 'POST /api/orders/:order_id/claim';
const PAY = 'POST /api/v1/pay';

beforeAll(async () => {
  receiver = await startTraceReceiver();
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  corridor = await startCorridor({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
      OTEL_SERVICE_NAME: 'corridor-under-test',
      LOG_LEVEL: 'info',
    },
    logTo: Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream,
  });
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
});
afterAll(async () => {
  await corridor.stop();
  await receiver.close();
});

const paid = () =>
  newOrder(agent, {
    recipient: CANARIES.recipient,
    recipient_name: CANARIES.recipient_name,
    callback_url: `${corridor.receiver.url}/${CANARIES.path}?secret=${CANARIES.path}`,
  });

describe('a claim', () => {
  let orderId: number;
  let trace: ReceivedSpan[];
  beforeAll(async () => {
    orderId = await paid();
    const path = `/api/orders/${orderId}/claim`;
    await expectStatus(200, lp.call('POST', path, {}, { traceparent: traceparent(CALLER) }));
    trace = await traceWith(
      CALLER.traceId,
      CLAIM,
      'SignalWorkflow:claim',
      'RunActivity:claim',
      'step-claim',
      'POST',
    );
  });

  test('goes on with the trace of its caller, from the request to the webhook, in one tree', () => {
    expect(only(trace, CLAIM).parentSpanId).toBe(CALLER.spanId);
    expect(above(trace, 'SignalWorkflow:claim')).toEqual([CLAIM]);
    expect(above(trace, 'wait for the outcome')).toEqual([CLAIM]);
    expect(above(trace, 'callers')).toEqual([CLAIM]);
    expect(above(trace, 'RunActivity:claim')).toEqual(['SignalWorkflow:claim', CLAIM]);
    expect(above(trace, 'step-claim')).toEqual(['RunActivity:claim', 'SignalWorkflow:claim', CLAIM]);
    expect(above(trace, 'POST').slice(-2)).toEqual(['SignalWorkflow:claim', CLAIM]);
    expect(above(trace, 'POST')[0]).toMatch(/^RunActivity:deliver/);
    const ids = new Set([CALLER.spanId, ...trace.map(({ spanId }) => spanId)]);
    expect(trace.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))).toEqual([]);
  });

  test('names its order, and is linked to the span that created it', () => {
    const created = receiver
      .spans()
      .find((span) => span.name === PAY && Number(span.attributes['order.id']) === orderId);
    if (!created) throw new Error('the payment has left no span');
    expect(created.traceId).not.toBe(CALLER.traceId);
    expect(only(trace, CLAIM).links).toMatchObject([{ traceId: created.traceId, spanId: created.spanId }]);
    for (const name of [CLAIM, 'SignalWorkflow:claim', 'RunActivity:claim'])
      expect(Number(only(trace, name).attributes['order.id'])).toBe(orderId);
  });

  test('is told in the words of OpenTelemetry', () => {
    expect(only(trace, CLAIM)).toMatchObject({
      kind: 2,
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/orders/:order_id/claim',
        'http.response.status_code': 200,
        'url.scheme': 'http',
      },
      resource: { 'service.name': 'corridor-under-test' },
    });
    expect(only(trace, 'step-claim')).toMatchObject({
      kind: 3,
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': 'step-claim',
        'db.namespace': expect.stringMatching(/^test_/),
        'server.address': expect.any(String),
        'server.port': expect.any(Number),
      },
    });
    expect(only(trace, 'POST')).toMatchObject({
      kind: 3,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(corridor.receiver.url).port),
      },
    });
    // What the mapper asks is told by what it does to which table.
    expect(trace.find(isCalled('select webhook_delivery'))).toMatchObject({
      kind: 3,
      attributes: { 'db.operation.name': 'select', 'db.collection.name': 'webhook_delivery' },
    });
  });

  test('is found in the log by its trace', async () => {
    const request = await eventually(async () =>
      lines
        .map((line) => JSON.parse(line))
        .find((line) => line.trace_id === CALLER.traceId && line.msg === 'request'),
    );
    expect(request).toMatchObject({
      route: '/api/orders/:order_id/claim',
      span_id: only(trace, CLAIM).spanId,
    });
    expect(only(trace, CLAIM).attributes['corridor.request_id']).toBe(request.requestId);
  });

  test('tells its receiver nothing of the trace', async () => {
    const webhook = await corridor.receiver.next(
      ({ body }) => body.order_id === orderId && body.status === 'claimed',
    );
    expect(webhook.headers.traceparent).toBeUndefined();
  });
});

test('a payment is settled in the trace of the request that named its transaction', async () => {
  const orderId = await paid();
  await expectStatus(200, claim(lp, orderId));
  await expectStatus(200, fiatSent(lp, orderId));
  await expectStatus(200, confirm(agent, orderId));
  // 10 USD, and half a percent for the service.
  const tx_hash = await transaction(corridor.anyone, lp.address, 10.05);
  const settling = { traceId: randomBytes(16).toString('hex'), spanId: CALLER.spanId };
  const headers = { traceparent: traceparent(settling) };
  await expectStatus(200, agent.call('POST', `/api/v1/settle/${orderId}`, { tx_hash }, headers));
  await eventuallyEquals(() => statusOf(agent, orderId), 'completed');
  const trace = await traceWith(
    settling.traceId,
    'RunActivity:settle',
    'RunActivity:complete',
    'step-complete',
  );
  expect(above(trace, 'step-complete').at(-1)).toBe('POST /api/v1/settle/:orderId');
});

test('what a request sets off is in its trace: a claim that an LP wants done for it, a webhook that is sent again', async () => {
  const { call, key } = await newLp(corridor, { currency: 'UGX', rate: 100 });
  await expectStatus(200, call('POST', `/api/lp/${key}/auto-claim`, { enabled: true }));
  const paying = { traceId: randomBytes(16).toString('hex'), spanId: CALLER.spanId };
  const terms = { currency: 'UGX', amount: 1_000, callback_url: corridor.receiver.url };
  const { order_id } = await expectStatus(201, pay(agent, terms, { traceparent: traceparent(paying) }));
  const paid = await traceWith(paying.traceId, 'RunActivity:findAutoClaims', 'step-claim', 'POST');
  expect(above(paid, 'step-claim')).toEqual(['RunActivity:claim', 'StartWorkflow:order', PAY]);
  expect(above(paid, 'POST').at(-1)).toBe(PAY);

  const sql = `select id from webhook_delivery where order_id = $1 and state = 'delivered'`;
  const delivery = await eventually(
    async () => (await corridor.db.query<{ id: number }>('test-delivery', sql, [order_id]))[0],
  );
  const again = { traceId: randomBytes(16).toString('hex'), spanId: CALLER.spanId };
  const path = `/api/v1/webhook-deliveries/${delivery.id}/redeliver`;
  await expectStatus(202, agent.call('POST', path, {}, { traceparent: traceparent(again) }));
  const redelivered = await traceWith(again.traceId, 'SignalWithStartWorkflow:redeliver', 'POST');
  const [request] = redelivered.filter(({ kind }) => kind === 2);
  expect(Number(request?.attributes['order.id'])).toBe(order_id);
  expect(request?.links).toMatchObject([{ traceId: paying.traceId }]);
  expect(above(redelivered, 'POST').at(-2)).toBe('SignalWithStartWorkflow:redeliver');
});

test('who loses a race has a trace to its answer', async () => {
  const other = await newLp(corridor);
  const orderId = await newOrder(agent);
  await eventually(async () => receiver.spans().some(isCalled('StartWorkflow:order')));
  await corridor.stopWorker();
  const racing = [lp, other].map((racer) => ({ racer, traceId: randomBytes(16).toString('hex') }));
  const answers = Promise.all(
    racing.map(({ racer, traceId }) =>
      racer.call(
        'POST',
        `/api/orders/${orderId}/claim`,
        {},
        { traceparent: traceparent({ ...CALLER, traceId }) },
      ),
    ),
  );
  await Promise.all(racing.map(({ traceId }) => traceWith(traceId, 'SignalWorkflow:claim')));
  await corridor.startWorker();
  await answers;
  const ends = await eventually(async () => {
    const seen = racing.map(({ traceId }) => spansOf(traceId).map(({ name }) => name));
    const won = seen.filter((names) => names.includes('RunActivity:claim')).length;
    const lost = seen.filter((names) => names.includes('RunActivity:answer')).length;
    return won + lost === 2 && { won, lost };
  });
  expect(ends).toEqual({ won: 1, lost: 1 });
});

test('a traceparent that is none begins a trace, and a refusal is no failure', async () => {
  const headers = { traceparent: 'not-a-trace' };
  await expectStatus(404, agent.call('POST', '/api/v1/confirm/999999999', {}, headers));
  const span = await eventually(async () =>
    receiver
      .spans()
      .find(
        (one) =>
          one.name === 'POST /api/v1/confirm/:orderId' && one.attributes['http.response.status_code'] === 404,
      ),
  );
  expect(span).toMatchObject({ status: 0 });
  expect(span.parentSpanId || undefined).toBeUndefined();
});

test('keys, recipients, phones and addresses behind a host are in no span', async () => {
  // Of a route whose path has a key in it.
  await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
  await eventually(async () => receiver.spans().some(({ name }) => name.startsWith('GET /api/lp/:lp_key')));
  const secrets = [
    ...Object.values(CANARIES),
    ...[lp.key, lp.address, agent.key, ADMIN_KEY, WEBHOOK_SECRET],
    '+254711000001',
    'rTestLiquidityProvider11111111',
  ];
  const told = receiver.text();
  expect(told).toContain('step-claim');
  expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
});

test('what is done for nobody in particular is in no trace of a request', async () => {
  // The poll of the feed and the reading of outcomes serve all who wait.
  const names = new Set(receiver.spans().map(({ name }) => name));
  expect([...names].filter((name) => /^(outcomes|feed)/.test(name))).toEqual([]);
  expect((await pay(agent)).status).toBe(201);
});
