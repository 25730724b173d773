import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../../../dev/http-client.ts';
import { type Database, openDatabase } from '../../../src/db/orm.ts';
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
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { holdTable } from '../../support/held-table.ts';
import { newOrder, settleAgain } from '../../support/repeated-steps.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { expectSound, expectSoundWhenStill } from '../../support/soundness.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let corridor: TestCorridor;
let temporalProxy: TcpProxy;
let databaseProxy: TcpProxy;
/** Not through the proxy, like `direct`: the checks must not use a frozen connection. */
let databaseUrl: string;
let direct: Database;
const checked = () => ({ db: direct, shared: corridor.shared });
let agent: Agent;
let lp: TestLp;

beforeAll(async () => {
  const [host = '', port = ''] = testEnvironment().temporalAddress.split(':');
  temporalProxy = await startTcpProxy(host, Number(port));
  databaseUrl = await freshDatabase();
  direct = await openDatabase({ url: databaseUrl, poolSize: 2, debug: () => undefined });
  const database = new URL(databaseUrl);
  databaseProxy = await startTcpProxy(database.hostname, Number(database.port));
  database.port = String(databaseProxy.port);
  corridor = await startCorridor({
    temporalAddress: `${temporalProxy.host}:${temporalProxy.port}`,
    databaseUrl: database.href,
  });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterEach(() => expectSound(checked()));
afterAll(async () => {
  await direct.close();
  await corridor.stop();
  await temporalProxy.close();
  await databaseProxy.close();
});

/** The contract for every outage: a 503 with Retry-After, before the caller times out. */
async function expectUnavailable(call: () => Promise<Answer>): Promise<void> {
  const answer = await Promise.race([
    call(),
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no answer within 10 s')), 10_000)),
  ]);
  expect(answer.status).toBe(503);
  expect(answer.body.error).toEqual(expect.any(String));
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}
const waitUntilReady = () =>
  eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 200, 40_000);
const waitUntilUnready = () =>
  eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 503);

describe('without a worker', () => {
  test('a step gets a 503, and the same call works when a worker runs again', async () => {
    const id = await newOrder(agent);
    await corridor.stopWorker();
    await waitUntilUnready();
    expect((await corridor.anyone('GET', '/readyz')).body).toMatchObject({ ready: false, worker: false });
    await expectUnavailable(() => claim(lp, id));
    await corridor.startWorker();
    await waitUntilReady();
    expect(await retryWhile503(() => claim(lp, id))).toMatchObject({
      status: 200,
      body: { status: 'claimed' },
    });
    const sent = await retryWhile503(() => fiatSent(lp, id));
    expect(sent).toMatchObject({ status: 200, body: { status: 'fiat_sent' } });
  });
});

describe.each(['cut', 'freeze', 'reset'] as const)('when the connection to Temporal fails by %s', (fault) => {
  test('payments and steps get a 503, reads work, and the same calls work afterwards', async () => {
    const id = await newOrder(agent);
    const key = { 'idempotency-key': `temporal-${fault}` };
    temporalProxy[fault]();
    try {
      await waitUntilUnready();
      await expectUnavailable(() => claim(lp, id));
      await expectUnavailable(() => pay(agent, {}, key));
      expect(await statusOf(agent, id)).toBe('matched');
      expect((await corridor.anyone('GET', '/healthz')).status).toBe(200);
    } finally {
      temporalProxy.restore();
    }
    await waitUntilReady();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    expect((await pay(agent, {}, key)).status).toBe(201);
  });
});

describe.each(['cut', 'freeze', 'reset'] as const)(
  'when the connection to PostgreSQL fails by %s',
  (fault) => {
    test('every call that needs it gets a 503, and the pool recovers by itself', async () => {
      const id = await newOrder(agent);
      databaseProxy[fault]();
      try {
        await expectUnavailable(() => claim(lp, id));
        await expectUnavailable(() => pay(agent));
        await expectUnavailable(() => agent.call('GET', `/api/v1/status/${id}`));
        await waitUntilUnready();
        expect((await corridor.anyone('GET', '/readyz')).body).toMatchObject({
          ready: false,
          database: false,
        });
      } finally {
        databaseProxy.restore();
      }
      await waitUntilReady();
      await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    });

    test('a step that commits without a response takes effect once', async () => {
      const id = await newOrder(agent);
      const database = await holdTable(databaseUrl, 'ledger_transfer');
      try {
        const claiming = claim(lp, id);
        await database.waitUntilBlocked();
        databaseProxy[fault]();
        await database.release();
        const claimed = `select id from orders where id = $1 and status = 'claimed'`;
        await eventually(async () => (await database.query(claimed, [id])).length === 1);
        expect((await claiming).status).toBe(503);
      } finally {
        databaseProxy.restore();
        await database.close();
      }
      await waitUntilReady();
      await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
      // The workflow repeated the step until it got a response.
      await eventuallyEquals(async () => (await corridor.shared.gateway.runningOrder(id))?.version, 2);
      const [done] = await corridor.db.query(
        'in-flight',
        `select (select count(*)::int from ledger_transfer where order_id = $1) as transfers,
         (select array_agg(cause order by seq) from order_event where order_id = $1) as causes`,
        [id],
      );
      expect(done).toEqual({ transfers: 1, causes: ['pay', 'claim'] });
    });
  },
);

/** The causes of a completed order's events. */
const LIFECYCLE = ['pay', 'claim', 'fiatSent', 'confirm', 'settle', 'verified'];

/** Completes an order and returns its id; `around` makes each call. */
async function completeOrder(
  key: string,
  around: (call: () => Promise<Answer>) => Promise<Answer>,
): Promise<number> {
  const hash = `sandbox-paid-${key}`;
  const paid = await around(() => pay(agent, {}, { 'idempotency-key': key }));
  expect([200, 201]).toContain(paid.status);
  const id: number = paid.body.order_id;
  for (const step of [
    () => claim(lp, id),
    () => fiatSent(lp, id),
    () => confirm(agent, id),
    () => settleAgain(agent, id, hash),
  ])
    expect((await around(step)).status).toBe(200);
  // The last fault may also hit a read.
  const read = () => retryWhile503(() => agent.call('GET', `/api/v1/status/${id}`));
  await eventuallyEquals(async () => (await read()).body.status, 'completed');
  return id;
}

/** Expects that each call took effect once, and that the order locks no collateral any more. */
async function expectMadeOnce(id: number, lockedBefore: number): Promise<void> {
  const [made] = await corridor.db.query(
    'made-once',
    `select (select array_agg(cause order by seq) from order_event where order_id = $1) as causes,
       (select count(*)::int from chain_transaction where order_id = $1) as transactions`,
    [id],
  );
  expect(made).toEqual({ causes: LIFECYCLE, transactions: 1 });
  expect((await collateralOf(corridor, lp)).locked).toBe(lockedBefore);
}

describe.each([
  ['PostgreSQL', () => [databaseProxy]],
  ['Temporal', () => [temporalProxy]],
  ['both', () => [databaseProxy, temporalProxy]],
] as const)('over the connection to %s', (name, proxies) => {
  test('an order completes despite latency', async () => {
    const { locked } = await collateralOf(corridor, lp);
    for (const proxy of proxies()) proxy.slow(20);
    try {
      const id = await completeOrder(`slow-${name}`, (call) => retryWhile503(call));
      await expectMadeOnce(id, locked);
    } finally {
      for (const proxy of proxies()) proxy.restore();
    }
    await waitUntilReady();
  });

  test('each call takes effect once although its connection is reset', async () => {
    const { locked } = await collateralOf(corridor, lp);
    let chunks = 0;
    const id = await completeOrder(`reset-${name}`, async (call) => {
      // Each reset hits a different point of a call: before its first query, or while it waits for the last result.
      chunks += 4;
      const passing = proxies().map((proxy) => proxy.passes(chunks));
      const answering = call();
      await Promise.race([answering, ...passing]);
      for (const proxy of proxies()) proxy.reset();
      for (const proxy of proxies()) proxy.restore();
      const answer = await answering;
      // A reset never causes a refusal. After a 503 the caller retries.
      expect([200, 201, 503]).toContain(answer.status);
      return answer.status === 503 ? retryWhile503(call) : answer;
    });
    await expectMadeOnce(id, locked);
    await waitUntilReady();
  });
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(checked()));
