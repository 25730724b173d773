import { Writable } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { freePort } from '../../src/process/free-port.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { temporalContents } from '../support/temporal-contents.ts';
import { startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';

let corridor: TestCorridor | undefined;
let receiver: TraceReceiver | undefined;
afterEach(async () => {
  await corridor?.stop();
  await receiver?.close();
});

/** A Corridor with these tracing settings, and its log lines by message. */
async function corridorWith(env: Record<string, string>) {
  const lines: { msg: string; level: number }[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n').filter(Boolean)) lines.push(JSON.parse(line));
      done();
    },
  });
  const logTo = Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream;
  corridor = await startCorridor({ env: { LOG_LEVEL: 'info', ...env }, logTo });
  const logged = (text: string) => lines.filter(({ msg }) => msg.startsWith(text));
  return { corridor, logged };
}

const FAILS = 'the endpoint does not accept traces';
const TAKEN = 'the endpoint accepts traces again';

test('orders continue while no endpoint accepts traces, and the log reports the failure and the recovery once each', async () => {
  receiver = await startTraceReceiver(400);
  const { url, requests, answer, spans } = receiver;
  const { corridor, logged } = await corridorWith({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  const agent = await corridor.newAgent();
  const lp = await corridor.newLp();
  for (let refused = 1; refused <= 3; refused++) {
    await expectStatus(200, lp.claim(await agent.newOrder()));
    await eventually(async () => requests() >= refused);
  }
  await eventually(async () => logged(FAILS).length > 0);
  expect(logged(FAILS)).toHaveLength(1);
  expect(logged(TAKEN)).toHaveLength(0);

  answer(200);
  const orderId = await agent.newOrder();
  await eventually(async () => spans().some(({ attributes }) => Number(attributes['order.id']) === orderId));
  await eventually(async () => logged(TAKEN).length > 0);
  expect([logged(FAILS).length, logged(TAKEN).length]).toEqual([1, 1]);
});

test('an unreachable endpoint delays neither an order nor the stop of the process', async () => {
  // As an operator would set it. The exporter drops a batch after this time.
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '300';
  const { corridor: running, logged } = await corridorWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  });
  const agent = await running.newAgent();
  const lp = await running.newLp();
  await expectStatus(200, lp.claim(await agent.newOrder()));
  await eventually(async () => logged(FAILS).length > 0);
  await expectStatus(200, lp.claim(await agent.newOrder()));
  expect(logged(FAILS)).toHaveLength(1);
  delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
});

test('a step that no request causes has its own trace, linked to the span that created the order', async () => {
  receiver = await startTraceReceiver();
  const { spans } = receiver;
  const { corridor } = await corridorWith({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  const agent = await corridor.newAgent();
  await corridor.newLp();
  const orderId = await agent.newOrder();
  await passDeadline(corridor, orderId);
  await eventuallyEquals(() => agent.statusOf(orderId), 'cancelled');
  const cancelled = await eventually(async () =>
    spans().find(({ name }) => name === 'RunActivity:cancelUnclaimed'),
  );
  const created = await eventually(async () =>
    spans().find(
      ({ name, attributes }) => name === 'POST /api/v1/pay' && Number(attributes['order.id']) === orderId,
    ),
  );
  expect(cancelled.traceId).not.toBe(created.traceId);
  expect(cancelled.parentSpanId || undefined).toBeUndefined();
  expect(cancelled.links).toMatchObject([{ traceId: created.traceId, spanId: created.spanId }]);
  const statement = await eventually(async () => spans().find(({ name }) => name === 'step-cancelUnclaimed'));
  expect(statement.traceId).toBe(cancelled.traceId);
});

test('without an endpoint no log line, row or history contains trace data', async () => {
  const { corridor, logged } = await corridorWith({});
  const agent = await corridor.newAgent();
  const lp = await corridor.newLp();
  const orderId = await agent.newOrder({ callback_url: corridor.receiver.url });
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  await expectStatus(200, lp.call('POST', `/api/orders/${orderId}/claim`, {}, headers));
  expect(Object.keys(logged('request').at(-1) ?? {})).not.toContain('trace_id');
  const sql = 'select traceparent from orders where id = $1';
  expect(await corridor.db.query('test-traceparent', sql, [orderId])).toEqual([{ traceparent: null }]);
  // Temporal's lists are updated with a short delay.
  const history = await eventually(async () => {
    const { temporalNamespace } = corridor.config;
    const contents = await temporalContents(testEnvironment().temporalAddress, temporalNamespace);
    const text = contents.join('\n');
    return text.includes('validUntil') && text;
  });
  expect(history).not.toMatch(/0af7651916cd43dd|"trace"|"origin"/);
});
