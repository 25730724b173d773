import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { type Agent, newAgent, newLp, payment, type TestLp } from '../../support/actors.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { claim, confirm, fiatSent, newOrder, settle } from '../../support/repeated-steps.ts';

/** Two APIs and two workers, each in its own process, on external servers. */
let databaseUrl: string;
let env: Record<string, string>;
let apis: { process: TestProcess; baseUrl: string }[];
let workers: TestProcess[];
let receiver: WebhookReceiver;

/** Returns the URL of a database without tables, for the superuser. */
async function emptyDatabase(name: string): Promise<string> {
  const { adminUrl } = testEnvironment();
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${name} owner corridor_owner`);
  await client.end();
  return adminUrl.replace(/\/postgres$/, `/${name}`);
}

beforeAll(async () => {
  const { temporalAddress } = testEnvironment();
  const name = `parts_${randomBytes(4).toString('hex')}`;
  databaseUrl = await emptyDatabase(name);
  receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  env = {
    ...databaseSettings(databaseUrl),
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: name.replace('_', '-'),
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    NODE_ENV: 'production',
    SANDBOX: 'true',
    LP_AUTO_APPROVE: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  expect(await run('src/main.ts', ['migrate'], env).ended).toBe(0);
  workers = [1, 2].map(() => run('src/main.ts', ['worker'], env));
  apis = await Promise.all(
    [1, 2].map(async () => {
      const port = await freePort();
      const process = run('src/main.ts', ['api'], { ...env, PORT: String(port) });
      return { process, baseUrl: `http://127.0.0.1:${port}` };
    }),
  );
  await Promise.all([
    ...workers.map((w) => w.prints('is running')),
    ...apis.map(({ process: p }) => p.prints('is running')),
  ]);
});
afterAll(async () => {
  for (const process of [...apis.map((api) => api.process), ...workers]) {
    process.kill('SIGTERM');
    await process.ended;
  }
  await receiver.close();
});

test('an order completes across all processes, although a worker is killed meanwhile', async () => {
  const [one, two] = apis.map(({ baseUrl }) => baseUrl) as [string, string];
  const at = (baseUrl: string) => ({
    admin: createCaller(baseUrl, ADMIN_KEY),
    anyone: createCaller(baseUrl),
    as: (key: string) => createCaller(baseUrl, key),
  });
  await eventually(async () => (await at(two).anyone('GET', '/readyz')).status === 200);
  const agent: Agent = await newAgent(at(one));
  const lp: TestLp = await newLp(at(two));
  const elsewhere: Agent = { ...agent, call: createCaller(two, agent.key) };

  const id = await newOrder(agent, { callback_url: receiver.url });
  await expectStatus(200, claim(lp, id));
  workers[0]?.kill('SIGKILL');
  expect(await workers[0]?.ended).toBe('SIGKILL');
  await eventually(async () => (await fiatSent(lp, id)).status === 200);
  await expectStatus(200, confirm(elsewhere, id));
  const hash = await payment(at(one), agent, id);
  await expectStatus(200, settle(agent, id, hash));
  await receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
  const statuses = receiver.received
    .filter(({ body }) => body.order_id === id)
    .map(({ body }) => body.status);
  // The worker may have died after it sent the first webhook, and before that was recorded.
  expect([...new Set(statuses)]).toEqual([
    'claimed',
    'fiat_sent',
    'confirmed',
    'crypto_verify_pending',
    'completed',
  ]);
  expect(receiver.received.every(({ signatureIsValid }) => signatureIsValid)).toBe(true);
});

test('the service’s role cannot make the tables, and one line names the setting', async () => {
  const empty = await emptyDatabase(`empty_${randomBytes(4).toString('hex')}`);
  const { DATABASE_URL = '' } = databaseSettings(empty);
  const { DATABASE_OWNER_URL: _, ...withoutOwner } = env;
  for (const command of ['migrate', 'restored']) {
    const refused = run('src/main.ts', [command], { ...withoutOwner, DATABASE_URL });
    expect(await refused.ends()).toBe(1);
    expect([refused.stdout(), refused.stderr()]).toEqual([
      '',
      "corridor: The role corridor_service does not own Corridor's tables, so it may not change them. Set DATABASE_OWNER_URL to the URL of their owner: docs/operations.md#the-roles-of-the-database\n",
    ]);
  }
});

test('“restored” refuses a folder without a database, and creates none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corridor-empty-'));
  const refused = run('src/main.ts', ['restored'], { DATA_DIR: dataDir, SANDBOX: 'true' });
  expect(await refused.ends()).toBe(1);
  expect(refused.stderr()).toBe(
    `corridor: DATA_DIR (${dataDir}) has no database. Unpack the backup there first, or set DATA_DIR to the folder where you have unpacked it: docs/operations.md#back-up-and-restore\n`,
  );
  expect(await readdir(dataDir)).toEqual([]);
  await rm(dataDir, { recursive: true });
});

test.each(['api', 'worker'])('%s on a database without tables ends with one line', async (part) => {
  const empty = databaseSettings(await emptyDatabase(`empty_${randomBytes(4).toString('hex')}`));
  const refused = run('src/main.ts', [part], { ...env, ...empty, PORT: String(await freePort()) });
  expect(await refused.ends()).toBe(1);
  expect([refused.stdout(), refused.stderr()]).toEqual([
    '',
    'corridor: The database is not up to date. Run "migrate" first.\n',
  ]);
});

test('each process exits cleanly on SIGTERM', async () => {
  const [api, worker] = [apis[0]?.process, workers[1]];
  api?.kill('SIGTERM');
  worker?.kill('SIGTERM');
  expect([await api?.ended, await worker?.ended]).toEqual([0, 0]);
});

test('a worker without Temporal logs what it waits for, and stops on a signal', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const lost = run('src/main.ts', ['worker'], { ...env, TEMPORAL_ADDRESS: address });
  await lost.prints(`corridor: Temporal at ${address} cannot be used yet; waiting up to 2 minutes\n`);
  lost.kill('SIGTERM');
  expect(await lost.ended).toBe(0);
  expect(lost.stderr()).toMatch(/\ncorridor: stopping\n$/);
});
