import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../src/db/migrate.ts';
import { type KillableServer, startKillablePostgres } from '../../../storms/faults/servers.ts';
import {
  type Agent,
  claim,
  collateralOf,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  pay,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { INSTALLATION_TIMEOUTS, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { holdTable } from '../../support/held-table.ts';
import { newOrder, settleAgain } from '../../support/repeated-steps.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { expectSound, expectSoundWhenStill } from '../../support/soundness.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** A PostgreSQL for this file alone, with fsync on, behind a proxy that can drop traffic. */
let folder: string;
let postgres: KillableServer;
let proxy: TcpProxy;
let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-database-loss-'));
  postgres = await startKillablePostgres(folder);
  proxy = await startTcpProxy('127.0.0.1', Number(postgres.url().port));
  const url = postgres.url();
  url.pathname = '/corridor';
  await migrate({ url: url.href, debug: () => undefined });
  url.port = String(proxy.port);
  // As in an installation: a call that waits a minute for the lost database would make it an outage, which moves deadlines.
  corridor = await startCorridor({ databaseUrl: url.href, timeouts: INSTALLATION_TIMEOUTS });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterEach(() => expectSound(corridor));
afterAll(async () => {
  await corridor.stop();
  await proxy.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Whether the caller must retry. */
const isUnavailable = (answer: { status: number }) => answer.status === 503;
const waitUntilReady = () => eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 200);

test('after a kill and restart of PostgreSQL no call with a response is lost, and orders continue', async () => {
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  expect((await retryWhile503(() => claim(lp, id))).status).toBe(200);
  const paying = Array.from({ length: 10 }, (_, i) => pay(agent, {}, { 'idempotency-key': `killed-${i}` }));

  await postgres.kill();
  const answers = await Promise.all(paying);
  expect(isUnavailable(await fiatSent(lp, id))).toBe(true);
  await postgres.start();
  proxy.moveTo(Number(postgres.url().port));
  await waitUntilReady();

  for (const [i, { status, body }] of answers.entries()) {
    const again = await pay(agent, {}, { 'idempotency-key': `killed-${i}` });
    if (status === 201) expect(again).toMatchObject({ status: 200, body: { order_id: body.order_id } });
    else expect([200, 201]).toContain(again.status);
  }
  await eventuallyEquals(async () => (await fiatSent(lp, id)).status, 200);
  await eventuallyEquals(async () => (await confirm(agent, id)).status, 200);
  const hash = `sandbox-paid-${id}`;
  await eventuallyEquals(async () => (await settleAgain(agent, id, hash)).status, 200);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
});

/**
 * Makes a call, disconnects Corridor while its statement waits in the database, and then lets the statement commit.
 * Returns the row that `created` finds. The caller gets only a 503.
 */
async function commitWithoutResponse<Row extends pg.QueryResultRow>(
  table: string,
  call: () => Promise<{ status: number }>,
  created: { text: string; values: unknown[] },
): Promise<Row> {
  const url = postgres.url();
  url.pathname = '/corridor';
  const database = await holdTable(url.href, table);
  const readRows = () => database.query<Row>(created.text, created.values);
  try {
    const calling = call();
    await database.waitUntilBlocked();
    expect(await readRows()).toEqual([]);
    proxy.dropResponses();
    await database.release();
    const row = await eventually(async () => (await readRows())[0]);
    expect(isUnavailable(await calling)).toBe(true);
    return row as Row;
  } finally {
    proxy.restore();
    await database.close();
  }
}

test('when the response to the commit of a payment is lost, a retry returns the same order', async () => {
  const key = { 'idempotency-key': 'answer-lost' };
  const count = () =>
    corridor.db.query<{ n: number }>('loss-orders', 'select count(*)::int as n from orders', []);
  const [before] = await count();
  const made = await commitWithoutResponse<{ order_id: string }>(
    'idempotency_key',
    () => pay(agent, {}, key),
    {
      text: 'select order_id from idempotency_key where key = $1',
      values: ['answer-lost'],
    },
  );
  await waitUntilReady();
  const retried = { status: 200, body: { order_id: Number(made.order_id), idempotent_replay: true } };
  expect(await pay(agent, {}, key)).toMatchObject(retried);
  expect((await count())[0]?.n).toBe((before?.n ?? 0) + 1);
  // The API did not reach the start of the workflow.
  await eventuallyEquals(async () => (await claim(lp, retried.body.order_id)).status, 200);
});

test('when the response to the commit of a claim is lost, the workflow finds the step done', async () => {
  const id = await newOrder(agent);
  const { locked } = await collateralOf(corridor, lp);
  await commitWithoutResponse('ledger_transfer', () => claim(lp, id), {
    text: `select id from orders where id = $1 and status = 'claimed'`,
    values: [id],
  });
  await waitUntilReady();
  await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
  const { body } = await claim(lp, id);
  expect((await collateralOf(corridor, lp)).locked).toBeCloseTo(locked + body.collateral_locked, 2);
  // The workflow repeated the step until it got a response.
  await eventuallyEquals(async () => (await corridor.shared.gateway.runningOrder(id))?.version, 2);
});

test('when the response to the commit of a deposit is lost, the deposit is credited once', async () => {
  const { available } = await collateralOf(corridor, lp);
  const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount: 30, asset: 'usdt' });
  const id = made.body.deposit_id;
  const confirmIt = () => lp.call('POST', `/api/lp/${lp.key}/collateral/${id}/confirm`, {});
  await commitWithoutResponse('ledger_transfer', confirmIt, {
    text: `select id from collateral_deposit where id = $1 and status = 'confirmed'`,
    values: [id],
  });
  await waitUntilReady();
  expect((await confirmIt()).status).toBe(200);
  expect((await collateralOf(corridor, lp)).available).toBeCloseTo(available + 30, 1);
});

test('while the database accepts no connection, calls get a 503, and a later retry succeeds', async () => {
  const id = await newOrder(agent);
  const admin = new pg.Client({ connectionString: postgres.url().href });
  await admin.connect();
  const taken: pg.Client[] = [];
  try {
    await eventually(async () => {
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'corridor%'`,
      );
      await takeAllConnections(taken);
      // Corridor may have opened a connection again meanwhile, which would serve the calls.
      const { rowCount: left } = await admin.query(
        `select from pg_stat_activity where application_name like 'corridor%'`,
      );
      return left === 0 && isUnavailable(await pay(agent));
    });
    expect(isUnavailable(await claim(lp, id))).toBe(true);
  } finally {
    await Promise.all(taken.map((client) => client.end()));
    await admin.end();
  }
  await waitUntilReady();
  await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));

/** Opens connections until the server accepts no more. */
async function takeAllConnections(taken: pg.Client[]): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: postgres.url().href });
    const full = await client.connect().then(
      () => false,
      (error) => {
        if (error.code !== '53300') throw error;
        return true;
      },
    );
    if (full) return;
    taken.push(client);
  }
}
