import { createHash, randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, type Call, createCaller, expectStatus } from '../../../dev/http-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createOrderGateway } from '../../../src/temporal/gateway.ts';
import * as single from '../../support/actors.ts';
import {
  type Agent,
  deposit,
  newAgent,
  pay,
  statusOf,
  type TestLp,
  transaction,
} from '../../support/actors.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { connectFeed } from '../../support/feed-client.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { fileOf, HEADS, upload } from '../../support/receipts.ts';
import {
  adminDoes,
  cancel,
  claim,
  confirmedOrder,
  disputeByLp,
  fiatSent,
  release,
  settle,
} from '../../support/repeated-steps.ts';
import { documentedRoutes } from '../../support/route-table.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { temporalContents } from '../../support/temporal-contents.ts';

const canary = (name: string) => `${name}-${randomBytes(8).toString('hex')}`;
/** The values that must not appear anywhere, by description. The test adds the keys that the service issues. */
const CANARIES: Record<string, string> = {
  'admin key': canary('admin-canary'),
  'webhook secret': canary('secret-canary'),
  recipient: `+2547${randomInt(10_000_000, 100_000_000)}`,
  'recipient’s account': canary('a'),
  'recipient’s name': canary('name-canary'),
  'LP’s phone': canary('phone-canary'),
  reason: canary('reason-canary'),
  'token in a callback_url': canary('callback-canary'),
};
const of = (name: string) => CANARIES[name] as string;
const reason = () => ({ reason: of('reason') });

let folder: string;
let databaseUrl: string;
let proxy: TcpProxy;
let api: TestProcess | undefined;
let worker: TestProcess | undefined;
let base: string;
let namespace: string;
let receiver: WebhookReceiver;
/** All refusals, with their headers. They contain no key that the service issues. */
const refusals: string[] = [];

const as = (key?: string): Call => {
  const call = createCaller(base, key);
  return async (...request) => {
    const answer = await call(...request);
    if (answer.status >= 400) refusals.push(JSON.stringify([answer.body, ...answer.headers]));
    return answer;
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
  receiver = await startWebhookReceiver(of('webhook secret'));
  const database = new URL(await freshDatabase());
  proxy = await startTcpProxy(database.hostname, Number(database.port));
  databaseUrl = database.href;
  database.port = String(proxy.port);
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  namespace = `test-${randomBytes(6).toString('hex')}`;
  const env = {
    LOG_LEVEL: 'trace',
    ...databaseSettings(database.href),
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    ADMIN_API_KEY: of('admin key'),
    WEBHOOK_SECRET: of('webhook secret'),
    DATA_DIR: folder,
    AUTH_FAILURE_LIMIT: '0',
    PAY_RATE_LIMIT: '0',
    AGENT_RATE_LIMIT: '0',
    REGISTER_RATE_LIMIT: '0',
    STRIKE_COOL_DOWN: '0s',
    PORT: String(port),
  };
  // Created before the processes start: on a busy machine they would give up waiting for it.
  const { TEMPORAL_ADDRESS: address } = env;
  const gateway = createOrderGateway({ address, namespace, log: createLogger('silent') });
  await gateway.prepareNamespace(90_000);
  await gateway.close();
  worker = run('src/main.ts', ['worker'], env);
  await worker.prints('is running');
  api = run('src/main.ts', ['api'], env);
  await api.prints('is running');
});
afterAll(async () => {
  for (const process of [api, worker]) process?.kill('SIGTERM');
  await Promise.all([api?.ended, worker?.ended]);
  await receiver.close();
  await proxy.close();
  await rm(folder, { recursive: true });
});

/** An LP whose phone and key are canaries. */
async function canaryLp(name: string): Promise<TestLp> {
  const { lp_id, lp_key } = await expectStatus(
    201,
    as()('POST', '/api/lp/register', {
      xrpl_address: 'r',
      mpesa_phone: of('LP’s phone'),
      supported_currencies: { KES: 129.5 },
    }),
  );
  CANARIES[name] = lp_key;
  const lp = { call: as(lp_key), key: lp_key, id: lp_id, address: `T${randomBytes(16).toString('hex')}` };
  const body = { symbol: 'usdt', chain: 'trx', address: lp.address };
  await expectStatus(201, lp.call('POST', `/api/lp/${lp_key}/assets`, body));
  const terms = { currency: 'KES', method: 'paybill', rate_usd: 129.5 };
  await expectStatus(200, lp.call('POST', `/api/lp/${lp_key}/terms`, terms));
  await deposit(lp, 1_000);
  return lp;
}

const payment = () => ({
  recipient: of('recipient'),
  recipient_name: of('recipient’s name'),
  callback_url: `${receiver.url}?token=${of('token in a callback_url')}`,
});

/** The same payment to a business, whose recipient has its own fields. */
const paybill = () => ({
  ...{ ...payment(), recipient: undefined, method: 'paybill' },
  recipient_details: { business_number: '888880', account_number: of('recipient’s account') },
});

/** Ends orders in every way, with reasons and names of people at each step. */
async function runLifecycles(agent: Agent, lp: TestLp, admin: Call): Promise<number[]> {
  const paid = await confirmedOrder(agent, lp, payment());
  await expectStatus(201, upload(lp, paid, fileOf(HEADS['image/png'], 2_000)));
  const { amount_crypto } = await expectStatus(200, lp.call('GET', `/api/orders/${paid}`));
  await expectStatus(200, settle(agent, paid, await transaction(as(), lp.address, amount_crypto)));
  await eventuallyEquals(() => statusOf(agent, paid), 'completed');

  const begun = async (changes = {}) => {
    const { order_id } = await expectStatus(201, pay(agent, { ...payment(), ...changes }));
    return order_id as number;
  };
  const cancelled = await begun();
  await expectStatus(200, cancel(agent, cancelled, reason()));
  const released = await begun();
  await expectStatus(200, claim(lp, released));
  await expectStatus(200, release(lp, released, reason()));
  await expectStatus(200, adminDoes(admin, 'freeze', released, reason()));
  await expectStatus(200, adminDoes(admin, 'unfreeze', released, reason()));
  await expectStatus(200, adminDoes(admin, 'extend', released, { ...reason(), until: '2036-03-01' }));
  await expectStatus(200, adminDoes(admin, 'cancel', released, reason()));
  // Nothing listens at this address. The error about it contains the address, and must not contain the token.
  const nowhere = `http://127.0.0.1:${await freePort()}/?token=${of('token in a callback_url')}`;
  const disputed = await begun({ ...paybill(), callback_url: nowhere });
  await expectStatus(200, claim(lp, disputed));
  await expectStatus(200, fiatSent(lp, disputed));
  await expectStatus(200, disputeByLp(lp, disputed, reason().reason));
  const ending = { ...reason(), outcome: 'cancelled', slash_usd: 1 };
  await expectStatus(200, adminDoes(admin, 'resolve', disputed, ending));
  const wrong = await confirmedOrder(agent, lp, payment());
  await expectStatus(200, settle(agent, wrong, await transaction(as(), lp.address, 1)));
  await expectStatus(200, admin('POST', `/api/admin/lps/${lp.id}/forgive`, reason()));
  const path = `/api/lp/${lp.key}/collateral/withdraw`;
  const asked = await expectStatus(201, lp.call('POST', path, { amount: 1, address: 'T' }));
  await expectStatus(200, admin('POST', `/api/admin/withdrawals/${asked.id}/reject`, reason()));
  return [paid, cancelled, released, disputed, wrong];
}

/** Calls every route with every key, valid for it or not, and with secrets in all its fields. */
async function sweep(calls: Call[], lp: TestLp): Promise<Answer[]> {
  const words = {
    ...paybill(),
    ...reason(),
    recipient: of('recipient'),
    amount: 1,
    currency: 'KES',
    user_id: 1,
    name: of('reason'),
  };
  const answers: Answer[] = [];
  for (const { method, path } of await documentedRoutes(calls[0] as Call)) {
    const filled = path.replace('{lp_key}', lp.key).replace('{receipt_key}', of('reason'));
    // An unknown id, so that the calls change nothing.
    const url = `${filled.replace(/\{\w+\}/g, '999999')}?order_id=1&token=${of('token in a callback_url')}`;
    for (const call of calls) answers.push(await call(method, url, method === 'POST' ? words : undefined));
    if (method === 'POST') answers.push(await (calls[0] as Call)(method, url, `{"broken": "${of('reason')}`));
  }
  return answers;
}

const found = (text: string): string[] =>
  Object.entries(CANARIES)
    .filter(([, secret]) =>
      [secret, createHash('sha256').update(secret).digest('hex')].some((form) => text.includes(form)),
    )
    .map(([name]) => name);

/** The database refuses rows with secrets and quotes the rows in its errors. The API and a step of a workflow fail with them. */
async function refusedRows(agent: Agent, lp: TestLp): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { order_id } = await expectStatus(201, pay(agent, payment()));
    for (const table of ['lp', 'orders', 'order_event', 'request_note'])
      await client.query(`alter table ${table} add constraint boom check (false) not valid`);
    const phone = { xrpl_address: 'r', mpesa_phone: of('LP’s phone') };
    expect((await as()('POST', '/api/lp/register', phone)).status).toBe(500);
    expect((await pay(agent, payment())).status).toBe(500);
    expect((await agent.call('POST', `/api/v1/cancel/${order_id}`, reason())).status).toBe(500);
    expect((await single.claim(lp, order_id)).status).toBe(503);
    for (const table of ['lp', 'orders', 'order_event', 'request_note'])
      await client.query(`alter table ${table} drop constraint boom`);
    await eventually(async () => (await claim(lp, order_id)).status === 200);
  } finally {
    await client.end();
  }
}

test('no secret appears in a log, a workflow, a metric or a refusal', async () => {
  const admin = as(of('admin key'));
  const agent: Agent = await newAgent({ admin, as });
  CANARIES['agent key'] = agent.key;
  const rotation = admin('POST', `/api/admin/agent-keys/${agent.keyId}/rotate`, {});
  CANARIES['rotated agent key'] = (await expectStatus(201, rotation)).api_key;
  const lp = await canaryLp('LP key');
  const other = await canaryLp('other LP key');

  const orders = await runLifecycles(agent, lp, admin);
  const feed = await connectFeed(base, { key: lp.key });
  await feed.next('hello');
  await feed.close();
  const signIn = await admin('POST', '/api/console/session');
  const cookie = String(signIn.headers.get('set-cookie')).split(';')[0] ?? '';
  const csrf: string = signIn.body.csrf_token;
  Object.assign(CANARIES, { 'session token': cookie.split('=')[1], 'CSRF token': csrf });
  const inConsole: Call = (method, path, body) => as()(method, path, body, { cookie, 'x-csrf-token': csrf });
  const calls = [as(), agent.call, lp.call, other.call, inConsole, admin, as(canary('wrong'))];
  const answers = await sweep(calls, lp);
  expect(new Set(answers.map(({ status }) => status))).not.toContain(500);

  // An outage logs most: errors of the database with their statements and their bound values.
  proxy.cut();
  const duringOutage = await sweep([agent.call, lp.call, admin], lp);
  expect(duringOutage.filter(({ status }) => status === 503).length).toBeGreaterThan(50);
  proxy.restore();
  await eventually(async () => (await as()('GET', '/readyz')).status === 200);
  await eventuallyEquals(
    () => statusOf(agent, orders[0] as number).catch((error: Error) => error.message),
    'completed',
  );
  // The sweep has paused all payments.
  for (const { id } of (await expectStatus(200, admin('GET', '/api/admin/pauses'))).pauses)
    await expectStatus(200, admin('DELETE', `/api/admin/pauses/${id}`));
  await refusedRows(agent, lp);

  const logs = [api, worker].map((process) => `${process?.stdout()}${process?.stderr()}`);
  const metrics = await (await fetch(`${base}/metrics`, { headers: bearer(of('admin key')) })).text();
  const workflows = await temporalContents(testEnvironment().temporalAddress, namespace);
  // Confirms that the searched sources are not empty.
  expect(logs[0]?.split('\n').filter((line) => line.includes('"request"')).length).toBeGreaterThan(500);
  for (const line of ['request refused: a service is unavailable', 'request failed', 'boom'])
    expect(logs[0]).toContain(line);
  expect(logs[1]).toContain('boom');
  expect(metrics).toContain('corridor_orders');
  const histories = workflows.join();
  for (const word of ['"claimed"', '"requestId"'])
    expect([word, histories.includes(word)]).toEqual([word, true]);
  expect(workflows.length).toBeGreaterThanOrEqual(orders.length * 3);
  expect(refusals.length).toBeGreaterThan(300);

  expect({
    api: found(logs[0] as string),
    worker: found(logs[1] as string),
    metrics: found(metrics),
    workflows: found(histories),
    refusals: found(refusals.join()),
    temporal: found(readFileSync(testEnvironment().serverLogs[0] as string, 'utf8')),
  }).toEqual({ api: [], worker: [], metrics: [], workflows: [], refusals: [], temporal: [] });
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
