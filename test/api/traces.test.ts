import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { ADMIN_KEY, startCorridor, WEBHOOK_SECRET } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { offersAreMade } from '../support/offers-made.ts';
import { type ReceivedSpan, startTraceReceiver } from '../support/trace-receiver.ts';

const CANARIES = {
  recipient: '+254700424242',
  recipient_name: 'Canary Of Nairobi',
  path: 'callback-canary',
};
const CALLER = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
const traceparent = ({ traceId, spanId }: typeof CALLER) => `00-${traceId}-${spanId}-01`;

const lines: string[] = [];

const spansOf = (traceId: string) => receiver.spans().filter((span) => span.traceId === traceId);
const isCalled = (name: string) => (span: ReceivedSpan) => span.name === name;

/** Returns the spans of a trace once they include all of these names. */
const traceWith = (traceId: string, ...names: string[]): Promise<ReceivedSpan[]> =>
  eventually(async () => {
    const spans = spansOf(traceId);
    return names.every((name) => spans.some(isCalled(name))) && spans;
  }).catch(() => {
    throw new Error(
      `expected the spans ${names.join(', ')}, found only ${spansOf(traceId)
        .map(({ name }) => name)
        .join(', ')}`,
    );
  });

/** The names of a span's ancestors, nearest first. */
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
  if (!span || another) throw new Error(`there is not exactly one span ${name}`);
  return span;
};

const CLAIM = 'POST /api/orders/:order_id/claim';
const PAY = 'POST /api/v1/pay';

const receiver = await startTraceReceiver();
const stream = new Writable({
  write(chunk, _encoding, done) {
    lines.push(...String(chunk).split('\n').filter(Boolean));
    done();
  },
});
const corridor = await startCorridor({
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
    OTEL_SERVICE_NAME: 'corridor-under-test',
    LOG_LEVEL: 'info',
  },
  logTo: Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream,
});
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
afterAll(async () => {
  await corridor.stop();
  await receiver.close();
});

const paid = () =>
  agent.newOrder({
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
      'SignalWithStartWorkflow:claim',
      'RunActivity:claim',
      'step-claim',
      'POST',
    );
  });

  test('continues the trace of its caller, from the request to the webhook, in one tree', () => {
    expect(only(trace, CLAIM).parentSpanId).toBe(CALLER.spanId);
    expect(above(trace, 'SignalWithStartWorkflow:claim')).toEqual([CLAIM]);
    expect(above(trace, 'wait for the outcome')).toEqual([CLAIM]);
    expect(above(trace, 'callers')).toEqual([CLAIM]);
    expect(above(trace, 'RunActivity:claim')).toEqual(['SignalWithStartWorkflow:claim', CLAIM]);
    expect(above(trace, 'step-claim')).toEqual(['RunActivity:claim', 'SignalWithStartWorkflow:claim', CLAIM]);
    expect(above(trace, 'POST').slice(-2)).toEqual(['SignalWithStartWorkflow:claim', CLAIM]);
    expect(above(trace, 'POST')[0]).toMatch(/^RunActivity:deliver/);
    const ids = new Set([CALLER.spanId, ...trace.map(({ spanId }) => spanId)]);
    expect(trace.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''))).toEqual([]);
  });

  test('names its order, and is linked to the span that created it', () => {
    const created = receiver
      .spans()
      .find((span) => span.name === PAY && Number(span.attributes['order.id']) === orderId);
    if (!created) throw new Error('there is no span of the payment');
    expect(created.traceId).not.toBe(CALLER.traceId);
    expect(only(trace, CLAIM).links).toMatchObject([{ traceId: created.traceId, spanId: created.spanId }]);
    for (const name of [CLAIM, 'SignalWithStartWorkflow:claim', 'RunActivity:claim'])
      expect(Number(only(trace, name).attributes['order.id'])).toBe(orderId);
  });

  test('uses the attribute names of OpenTelemetry', () => {
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
  });

  test('names a query of the ORM after its operation and table', async () => {
    const listing = { traceId: randomBytes(16).toString('hex'), spanId: CALLER.spanId };
    const headers = { traceparent: traceparent(listing) };
    await expectStatus(200, corridor.admin('GET', '/api/admin/lps', undefined, headers));
    const listed = await traceWith(listing.traceId, 'select lp');
    expect(only(listed, 'select lp')).toMatchObject({
      kind: 3,
      attributes: { 'db.operation.name': 'select', 'db.collection.name': 'lp' },
    });
  });

  test('can be found in the log by its trace id', async () => {
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

  test('sends its receiver no trace data', async () => {
    const webhook = await corridor.receiver.next(
      ({ body }) => body.order_id === orderId && body.status === 'claimed',
    );
    expect(webhook.headers.traceparent).toBeUndefined();
  });
});

test('a payment is settled in the trace of the request that named its transaction', async () => {
  const orderId = await paid();
  await expectStatus(200, lp.claim(orderId));
  await expectStatus(200, lp.fiatSent(orderId));
  await expectStatus(200, agent.confirm(orderId));
  const tx_hash = await corridor.payment(agent, orderId);
  const settling = { traceId: randomBytes(16).toString('hex'), spanId: CALLER.spanId };
  const headers = { traceparent: traceparent(settling) };
  await expectStatus(200, agent.call('POST', `/api/v1/settle/${orderId}`, { tx_hash }, headers));
  await eventuallyEquals(() => agent.statusOf(orderId), 'completed');
  const trace = await traceWith(
    settling.traceId,
    'RunActivity:settle',
    'RunActivity:complete',
    'step-complete',
  );
  expect(above(trace, 'step-complete').at(-1)).toBe('POST /api/v1/settle/:orderId');
});

test('the trace of a request includes what it causes: an auto-claim, or the redelivery of a webhook', async () => {
  const { call, key, id } = await corridor.newLp({ currency: 'UGX', rate: 100 });
  await expectStatus(200, call('POST', `/api/lp/${key}/auto-claim`, { enabled: true }));
  // Otherwise the order could be claimed by an offer that the worker makes, in that offer's trace.
  await offersAreMade(corridor.db, id);
  const paying = { traceId: randomBytes(16).toString('hex'), spanId: CALLER.spanId };
  const terms = { currency: 'UGX', amount: 1_000, callback_url: corridor.receiver.url };
  const { order_id } = await expectStatus(201, agent.pay(terms, { traceparent: traceparent(paying) }));
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

test('claims that lose a race are answered together, in the trace of one and with links to the others', async () => {
  const racers = [lp, await corridor.newLp(), await corridor.newLp()];
  const orderId = await agent.newOrder();
  await eventually(async () => receiver.spans().some(isCalled('StartWorkflow:order')));
  await corridor.stopWorker();
  const racing = racers.map((racer) => ({ racer, traceId: randomBytes(16).toString('hex') }));
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
  await Promise.all(racing.map(({ traceId }) => traceWith(traceId, 'SignalWithStartWorkflow:claim')));
  await corridor.startWorker();
  await answers;
  const ids = racing.map(({ traceId }) => traceId);
  const attempts = (name: string) =>
    receiver.spans().filter((span) => span.name === name && ids.includes(span.traceId));
  const ended = await eventually(async () => {
    const [won, answered] = [attempts('RunActivity:claim'), attempts('RunActivity:answer')];
    return won.length > 0 && answered.length > 0 && { won, answered };
  });
  expect(ended).toMatchObject({ won: [{}], answered: [{}] });
  const [won, lost] = [ended.won, ended.answered].map((spans) =>
    spans.flatMap(({ traceId, links }) => [traceId, ...links.map((link) => link.traceId)]),
  );
  expect(lost?.filter((id) => ids.includes(id)).sort()).toEqual(ids.filter((id) => id !== won?.[0]).sort());
});

test('an invalid traceparent starts a new trace, and a refusal is not a failed span', async () => {
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

test('no span contains keys, recipients, phones or the paths of webhook addresses', async () => {
  // A route with a key in its path.
  await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
  await eventually(async () => receiver.spans().some(({ name }) => name.startsWith('GET /api/lp/:lp_key')));
  const secrets = [
    ...Object.values(CANARIES),
    ...[lp.key, lp.address, agent.key, ADMIN_KEY, WEBHOOK_SECRET],
    '+254711000001',
    'rTestLiquidityProvider11111111',
  ];
  const sentTraces = receiver.text();
  expect(sentTraces).toContain('step-claim');
  expect(secrets.filter((secret) => sentTraces.includes(secret))).toEqual([]);
});

test('work that serves no single request is in no request’s trace', async () => {
  // The feed poll and the outcome reader serve all waiting callers.
  const names = new Set(receiver.spans().map(({ name }) => name));
  expect([...names].filter((name) => /^(outcomes|feed)/.test(name))).toEqual([]);
  expect((await agent.pay()).status).toBe(201);
});
