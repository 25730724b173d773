import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { WebSocket } from 'ws';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { roleUrl } from '../../../src/service/embedded/roles.ts';
import { type Agent, newAgent, newLp, payment, type TestLp } from '../../support/actors.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type Family, readExposition, type Sample } from '../../support/exposition.ts';
import { alerts, dashboardQueries, textOf, yamlOf } from '../../support/ops-files.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { found, selectionsOf } from '../../support/promql.ts';
import { claim, confirm, fiatSent, newOrder, settle } from '../../support/repeated-steps.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** An API and a worker in their own processes, and the metrics of a completed order that Prometheus gets. */

interface Part {
  process: TestProcess;
  metricsUrl: string;
}
let api: Part & { baseUrl: string };
let worker: Part;
let databaseProxy: TcpProxy;
let receiver: WebhookReceiver;
let agent: Agent;
let lps: [TestLp, TestLp];
let socket: WebSocket;
let namespace: string;

beforeAll(async () => {
  const { adminUrl, temporalAddress } = testEnvironment();
  const name = `metrics_${randomBytes(4).toString('hex')}`;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${name} owner corridor_owner`);
  await client.end();
  namespace = name.replace('_', '-');
  receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  const url = new URL(adminUrl);
  databaseProxy = await startTcpProxy(url.hostname, Number(url.port));
  url.host = `${databaseProxy.host}:${databaseProxy.port}`;
  url.pathname = `/${name}`;
  const env = {
    // One role for everything: it owns the database.
    DATABASE_URL: roleUrl(url.href, 'owner'),
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
  };
  expect(await run('src/main.ts', ['migrate'], env).ended).toBe(0);
  const [port, ...metricsPorts] = [await freePort(), await freePort(), await freePort()];
  const [apiMetrics, workerMetrics] = metricsPorts.map((port) => `http://127.0.0.1:${port}/metrics`);
  const part = (kind: string, metricsPort: unknown) =>
    run('src/main.ts', [kind], { ...env, PORT: String(port), METRICS_PORT: String(metricsPort) });
  api = {
    process: part('api', metricsPorts[0]),
    metricsUrl: apiMetrics as string,
    baseUrl: `http://127.0.0.1:${port}`,
  };
  worker = { process: part('worker', metricsPorts[1]), metricsUrl: workerMetrics as string };
  await Promise.all([api.process.prints('is running'), worker.process.prints('is running')]);
  await carryOrderThrough();
});
afterAll(async () => {
  socket?.close();
  for (const { process } of [api, worker]) {
    process.kill('SIGTERM');
    await process.ended;
  }
  await receiver.close();
  await databaseProxy.close();
});

async function carryOrderThrough(): Promise<void> {
  const [anyone, admin] = [createCaller(api.baseUrl), createCaller(api.baseUrl, ADMIN_KEY)];
  const as = (key: string) => createCaller(api.baseUrl, key);
  await eventually(async () => (await anyone('GET', '/readyz')).status === 200);
  agent = await newAgent({ admin, as });
  lps = [await newLp({ anyone, as }), await newLp({ anyone, as })];
  const [winner, loser] = lps;
  socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/ws/orders?lp_key=${winner.key}`);
  await new Promise((resolve) => socket.once('open', resolve));

  const id = await newOrder(agent, { callback_url: receiver.url });
  await sendUnsigned(id);
  await expectStatus(200, claim(winner, id));
  await expectStatus(409, claim(loser, id));
  await expectStatus(404, anyone('GET', `/nowhere/${winner.key}`));
  await expectStatus(200, fiatSent(winner, id));
  await expectStatus(200, confirm(agent, id));
  await expectStatus(200, settle(agent, id, await payment({ anyone }, agent, id)));
  await receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
}

/** Sends a command that the API has not signed. The worker refuses and counts it. */
async function sendUnsigned(orderId: number): Promise<void> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  const { workflow } = new Client({ connection, namespace });
  const forged = { requestId: randomUUID(), actor: 'admin', command: { trigger: 'cancel', by: 'admin' } };
  await workflow.getHandle(`order-${orderId}`).signal('cancel', forged);
  await connection.close();
}

async function scrape({ metricsUrl }: Part): Promise<Map<string, Family>> {
  const response = await fetch(metricsUrl);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return readExposition(await response.text());
}

/** The samples that Prometheus would have, with the labels that it adds itself. */
async function scraped(): Promise<Sample[]> {
  const [{ job_name: job }] = yamlOf('ops/prometheus/prometheus.yml').scrape_configs;
  const of = async (part: Part) => {
    const instance = new URL(part.metricsUrl).host;
    const families = await scrape(part);
    const samples = [
      ...[...families.values()].flatMap((family) => family.samples),
      { name: 'up', labels: {}, value: 1 },
    ];
    return samples.map((sample) => ({ ...sample, labels: { ...sample.labels, job, instance } }));
  };
  return [...(await of(api)), ...(await of(worker))];
}

const numberOf = (families: Map<string, Family>, name: string, labels: Record<string, string> = {}) =>
  [...families.values()]
    .flatMap(({ samples }) => samples)
    .find(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )?.value;

test('every query of the dashboard and of the alerts finds its series', async () => {
  const queries = [
    ...dashboardQueries().map(({ panel, expr }) => ({ of: panel, expr })),
    ...alerts().map(({ alert, expr }) => ({ of: alert, expr })),
  ];
  const missing = async () => {
    const samples = await scraped();
    return queries.flatMap(({ of, expr }) =>
      selectionsOf(expr)
        .filter((selection) => found(samples, selection).length === 0)
        .map(({ text }) => `${of}: ${text}`),
    );
  };
  // The cached database metrics and the SDK's own metrics arrive some seconds later.
  await eventually(async () => (await missing()).length === 0).catch(() => undefined);
  expect(await missing()).toEqual([]);
});

test('the metrics count the order and its steps', async () => {
  await eventually(async () => numberOf(await scrape(api), 'corridor_orders', { status: 'completed' }) === 1);
  // The worker's last action for an order.
  await eventually(async () => numberOf(await scrape(worker), 'temporal_workflow_completed_total') === 1);
  const [apiMetrics, workerMetrics] = [await scrape(api), await scrape(worker)];
  const duration = 'http_server_request_duration_seconds_count';
  const claimed = { http_request_method: 'POST', http_route: '/api/orders/:order_id/claim' };
  expect(numberOf(apiMetrics, duration, { ...claimed, http_response_status_code: '200' })).toBe(1);
  expect(numberOf(apiMetrics, duration, { ...claimed, http_response_status_code: '409' })).toBe(1);
  expect(numberOf(apiMetrics, duration, { http_route: 'none', http_response_status_code: '404' })).toBe(1);
  expect(numberOf(apiMetrics, 'corridor_refusals_total', { code: 'order_not_claimable' })).toBe(1);
  expect(numberOf(apiMetrics, 'corridor_claims_total', { outcome: 'won' })).toBe(1);
  expect(numberOf(apiMetrics, 'corridor_claims_total', { outcome: 'lost' })).toBe(1);
  expect(numberOf(apiMetrics, 'corridor_sockets')).toBe(1);
  expect(numberOf(apiMetrics, 'corridor_socket_handshakes_total', { http_response_status_code: '101' })).toBe(
    1,
  );
  expect(numberOf(apiMetrics, 'corridor_processes', { part: 'worker' })).toBe(1);
  expect(numberOf(apiMetrics, 'corridor_drift', { kind: 'ledger' })).toBe(0);
  expect(numberOf(apiMetrics, 'corridor_metrics_source_up', { source: 'database' })).toBe(1);
  const steps = 'corridor_order_step_duration_seconds_count';
  for (const step of ['claim', 'markFiatSent', 'confirm', 'settle', 'complete']) {
    expect([step, numberOf(workerMetrics, steps, { step, result: 'applied' })]).toEqual([step, 1]);
  }
  expect(numberOf(workerMetrics, 'corridor_webhook_deliveries_total', { state: 'delivered' })).toBe(5);
  expect(numberOf(workerMetrics, 'corridor_webhook_delivery_lag_seconds_count')).toBe(5);
  const attempts = 'corridor_webhook_attempt_duration_seconds_count';
  expect(numberOf(workerMetrics, attempts, { outcome: 'accepted' })).toBe(5);
  // The buckets are fine enough to distinguish a fast worker from a slow one.
  for (const latency of ['workflow_task_schedule_to_start_latency', 'request_latency']) {
    const bucket = `temporal_${latency}_seconds_bucket`;
    expect([latency, numberOf(workerMetrics, bucket, { le: '0.025' })]).toEqual([
      latency,
      expect.any(Number),
    ]);
  }
  const looks = 'corridor_chain_look_duration_seconds_count';
  expect(numberOf(workerMetrics, looks, { chain: 'trx', verdict: 'verified' })).toBe(1);
});

test('labels hold no order, key or path, and repeated requests add no series', async () => {
  const before = await scraped();
  const held = before.flatMap(({ labels }) => Object.values(labels)).join('\n');
  for (const secret of [agent.key, ...lps.map(({ key }) => key), ...lps.map(({ address }) => address)]) {
    expect(held).not.toContain(secret);
  }
  expect(held).not.toMatch(/nowhere|order-\d/);
  const known = new Set(['job', 'instance', 'le', 'namespace', 'task_queue', 'status_code', 'worker_type']);
  const numbers = before.flatMap(({ labels }) =>
    Object.entries(labels).filter(([label, value]) => !known.has(label) && /^\d+$/.test(value)),
  );
  expect(new Set(numbers.map(([label]) => label))).toEqual(new Set(['http_response_status_code']));

  const own = (samples: Sample[]) => samples.filter(({ name }) => !/^(temporal|v8js)_/.test(name)).length;
  for (const method of ['GET', 'DELETE', 'PROPFIND', 'SEARCH']) {
    for (const path of ['a', 'b', 'c'])
      await fetch(`${api.baseUrl}/${path}/${randomBytes(8).toString('hex')}`, { method });
  }
  const methods = new Set((await scraped()).map(({ labels }) => labels.http_request_method));
  expect(methods).toEqual(new Set([undefined, 'GET', 'POST', 'DELETE', '_OTHER']));
  const families = await scrape(api);
  const elsewhere = families
    .get('http_server_request_duration_seconds')
    ?.samples.filter(({ name, labels }) => name.endsWith('_count') && labels.http_route === 'none');
  // GET has been counted before.
  expect(elsewhere?.length).toBe(3);
  expect(own(await scraped())).toBeLessThan(own(before) + 3 * 20);
});

test('the documented table lists exactly the reported metrics', async () => {
  const families = new Map([...(await scrape(worker)), ...(await scrape(api))]);
  const both = await scraped();
  const live = [...families.values()]
    .filter(({ name }) => !name.startsWith('temporal_'))
    .map(({ name, type, help }) => {
      const mine = both.filter(
        (sample) => sample.name.replace(/_(bucket|sum|count)$/, '') === name || sample.name === name,
      );
      const labels = new Set(mine.flatMap((sample) => Object.keys(sample.labels)));
      const shown = [...labels]
        .filter((label) => !['le', 'job', 'instance'].includes(label))
        .map((l) => `\`${l}\``);
      return `| \`${name}\` | ${type} | ${shown.sort().join(', ') || '–'} | ${help} |`;
    });
  const documented = textOf('docs/observability.md')
    .split('\n')
    .filter((line) => /^\| `(?!temporal_)[a-z0-9_]+` \| (counter|gauge|histogram) \|/.test(line));
  expect([...documented].sort()).toEqual(live.sort());
  const ofTemporal = [...textOf('docs/observability.md').matchAll(/`(temporal_[a-z_]+)`/g)].map(
    ([, name]) => name,
  );
  expect(ofTemporal.length).toBeGreaterThan(3);
  for (const name of ofTemporal) expect([name, families.has(name as string)]).toEqual([name, true]);
});

test('the port serves only metrics and its health, and the API serves the same metrics to an admin', async () => {
  const base = new URL(worker.metricsUrl).origin;
  const health = await fetch(`${base}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { ok: true }]);
  expect((await fetch(`${base}/`)).status).toBe(404);
  expect((await fetch(worker.metricsUrl, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${api.baseUrl}/metrics`)).status).toBe(403);
  const response = await fetch(`${api.baseUrl}/metrics`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  expect([...readExposition(await response.text()).keys()].sort()).toEqual(
    [...(await scrape(api)).keys()].sort(),
  );
});

test('the start refuses the API’s port as metrics port, and reports it in one line', async () => {
  const { adminUrl: DATABASE_URL, temporalAddress: TEMPORAL_ADDRESS } = testEnvironment();
  const port = String(await freePort());
  const process = run('src/main.ts', ['api'], {
    DATABASE_URL,
    TEMPORAL_ADDRESS,
    PORT: port,
    METRICS_PORT: port,
  });
  expect(await process.ended).toBe(1);
  expect(process.stderr()).toBe('corridor: METRICS_PORT must differ from PORT.\n');
});

test('while the database is unavailable, the API reports all other metrics and leaves out those of the database', async () => {
  databaseProxy.cut();
  try {
    const database = { source: 'database' };
    await eventually(async () => numberOf(await scrape(api), 'corridor_metrics_source_up', database) === 0);
    const apiMetrics = await scrape(api);
    expect(apiMetrics.has('corridor_orders')).toBe(false);
    expect(numberOf(apiMetrics, 'corridor_claims_total', { outcome: 'won' })).toBe(1);
    expect(numberOf(apiMetrics, 'process_uptime_seconds')).toBeGreaterThan(0);
    expect(numberOf(await scrape(worker), 'corridor_webhook_deliveries_total', { state: 'delivered' })).toBe(
      5,
    );
  } finally {
    databaseProxy.restore();
  }
  await eventually(async () => numberOf(await scrape(api), 'corridor_orders', { status: 'completed' }) === 1);
});
