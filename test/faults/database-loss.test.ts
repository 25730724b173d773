import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/db/orm.ts';
import { checkInvariants } from '../../src/invariants/check.ts';
import { type KillableServer, startKillablePostgres } from '../faults-harness/servers.ts';
import {
  type Agent,
  claim,
  collateralOf,
  confirm,
  deposit,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  pay,
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** A PostgreSQL of this file's own, which syncs to the disk, behind a wire that can lose what goes over it. */
let folder: string;
let postgres: KillableServer;
let wire: TcpProxy;
let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-database-loss-'));
  postgres = await startKillablePostgres(folder);
  wire = await startTcpProxy('127.0.0.1', Number(postgres.url().port));
  const url = postgres.url();
  url.pathname = '/corridor';
  await migrate({ url: url.href, debug: () => undefined });
  url.port = String(wire.port);
  corridor = await startCorridor({ databaseUrl: url.href });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterEach(async () => {
  const { db, shared } = corridor;
  expect(await checkInvariants({ db, gateway: shared.gateway, log: shared.log })).toEqual([]);
});
afterAll(async () => {
  await corridor.stop();
  await wire.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Nobody is answered, or all are told to come again. */
const isLost = (answer: { status: number }) => answer.status === 503;
const untilReady = () => eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 200);

test('PostgreSQL is killed and started again: nothing that was answered is lost, and orders go on', async () => {
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  expect((await claim(lp, id)).status).toBe(200);
  const paying = Array.from({ length: 10 }, (_, i) => pay(agent, {}, { 'idempotency-key': `killed-${i}` }));

  await postgres.kill();
  const answers = await Promise.all(paying);
  expect(isLost(await fiatSent(lp, id))).toBe(true);
  await postgres.start();
  wire.moveTo(Number(postgres.url().port));
  await untilReady();

  for (const [i, { status, body }] of answers.entries()) {
    const again = await pay(agent, {}, { 'idempotency-key': `killed-${i}` });
    if (status === 201) expect(again).toMatchObject({ status: 200, body: { order_id: body.order_id } });
    else expect([200, 201]).toContain(again.status);
  }
  await eventuallyEquals(async () => (await fiatSent(lp, id)).status, 200);
  await eventuallyEquals(async () => (await confirm(agent, id)).status, 200);
  const hash = await transaction(corridor.anyone, lp.address, 10.05);
  await eventuallyEquals(async () => (await settle(agent, id, hash)).status, 200);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
});

test('the answer to the commit of a payment is lost: a retry is told of the same order', async () => {
  const key = { 'idempotency-key': 'answer-lost' };
  const count = () =>
    corridor.db.query<{ n: number }>('loss-orders', 'select count(*)::int as n from orders', []);
  const [before] = await count();
  wire.swallowAnswers();
  // Before anything can be written, the agent's key has to be looked up: that is not answered either.
  expect(isLost(await pay(agent, {}, key))).toBe(true);
  wire.mend();
  await untilReady();
  const made = await pay(agent, {}, key);
  expect([200, 201]).toContain(made.status);
  expect((await pay(agent, {}, key)).body.order_id).toBe(made.body.order_id);
  expect((await count())[0]?.n).toBe((before?.n ?? 0) + 1);
});

test('the answer to the commit of a claim is lost: the step is found to have been carried out', async () => {
  const id = await newOrder(agent);
  const { locked } = await collateralOf(corridor, lp);
  // An eye on the database past the wire, which goes deaf while the claim is on its way.
  const url = postgres.url();
  url.pathname = '/corridor';
  const eye = new pg.Client({ connectionString: url.href });
  await eye.connect();
  try {
    // The claim waits in the database for this, so that it commits when nobody hears of it.
    await eye.query('begin');
    await eye.query('select from lp_collateral where lp_id = $1 for update', [lp.id]);
    const claiming = claim(lp, id);
    await eventually(async () => {
      const { rows } = await eye.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%lp_collateral%'`,
      );
      return rows.length > 0;
    });
    wire.swallowAnswers();
    await eye.query('commit');
    await eventually(async () => {
      const { rows } = await eye.query('select status from orders where id = $1', [id]);
      return rows[0].status === 'claimed';
    });
    expect(isLost(await claiming)).toBe(true);
  } finally {
    wire.mend();
    await eye.end();
  }
  await untilReady();
  await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
  const { body } = await claim(lp, id);
  expect((await collateralOf(corridor, lp)).locked).toBeCloseTo(locked + body.collateral_locked, 2);
});

test('the answer to the commit of a deposit is lost: it is credited once', async () => {
  const { available } = await collateralOf(corridor, lp);
  const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount: 30, asset: 'usdt' });
  const confirmIt = () => lp.call('POST', `/api/lp/${lp.key}/collateral/${made.body.deposit_id}/confirm`, {});
  const confirming = confirmIt();
  wire.swallowAnswers();
  await confirming;
  wire.mend();
  await untilReady();
  await eventuallyEquals(async () => (await confirmIt()).status, 200);
  expect((await collateralOf(corridor, lp)).available).toBe(available + 30);
  await deposit(lp, 1);
});

test('with no database connection to be had, calls are answered 503 and later carried out', async () => {
  const id = await newOrder(agent);
  const admin = new pg.Client({ connectionString: postgres.url().href });
  await admin.connect();
  const crowd: pg.Client[] = [];
  try {
    await eventually(async () => {
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'corridor%'`,
      );
      await takeAllConnections(crowd);
      return isLost(await pay(agent));
    });
    expect(isLost(await claim(lp, id))).toBe(true);
  } finally {
    await Promise.all(crowd.map((client) => client.end()));
    await admin.end();
  }
  await untilReady();
  await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
});

/** Connects until the server says that it is full. */
async function takeAllConnections(crowd: pg.Client[]): Promise<void> {
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
    crowd.push(client);
  }
}
