import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  pay,
  statusOf,
  type TestLp,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { holdTable } from '../support/held-table.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let corridor: TestCorridor;
let temporalWire: TcpProxy;
let databaseWire: TcpProxy;
/** Past the wire. */
let databaseUrl: string;
let agent: Agent;
let lp: TestLp;

beforeAll(async () => {
  const [host = '', port = ''] = testEnvironment().temporalAddress.split(':');
  temporalWire = await startTcpProxy(host, Number(port));
  databaseUrl = await freshDatabase();
  const database = new URL(databaseUrl);
  databaseWire = await startTcpProxy(database.hostname, Number(database.port));
  database.port = String(databaseWire.port);
  corridor = await startCorridor({
    temporalAddress: `${temporalWire.host}:${temporalWire.port}`,
    databaseUrl: database.href,
  });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterAll(async () => {
  await corridor.stop();
  await temporalWire.close();
  await databaseWire.close();
});

/** The contract of every outage: 503, when to come back, and an answer while the caller still listens. */
async function expectUnavailable(call: () => Promise<Answer>): Promise<void> {
  const answer = await Promise.race([
    call(),
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no answer within 5 s')), 5_000)),
  ]);
  expect(answer.status).toBe(503);
  expect(answer.body.error).toEqual(expect.any(String));
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}
const untilReady = () =>
  eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 200, 40_000);

describe('without a worker', () => {
  test('a step is answered 503, and the same call works when a worker is back', async () => {
    const id = await newOrder(agent);
    await corridor.stopWorker();
    expect((await corridor.anyone('GET', '/readyz')).body).toMatchObject({ ready: false, worker: false });
    await expectUnavailable(() => claim(lp, id));
    await corridor.startWorker();
    await untilReady();
    expect(await claim(lp, id)).toMatchObject({ status: 200, body: { status: 'claimed' } });
    expect(await fiatSent(lp, id)).toMatchObject({ status: 200, body: { status: 'fiat_sent' } });
  });
});

describe.each(['cut', 'freeze'] as const)('while the wire to Temporal is %s', (fault) => {
  test('payments and steps are answered 503, reads go on, and the same calls work afterwards', async () => {
    const id = await newOrder(agent);
    const key = { 'idempotency-key': `temporal-${fault}` };
    temporalWire[fault]();
    try {
      await eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 503);
      await expectUnavailable(() => claim(lp, id));
      await expectUnavailable(() => pay(agent, {}, key));
      expect(await statusOf(agent, id)).toBe('matched');
      expect((await corridor.anyone('GET', '/healthz')).status).toBe(200);
    } finally {
      temporalWire.mend();
    }
    await untilReady();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    expect((await pay(agent, {}, key)).status).toBe(201);
  });
});

describe.each(['cut', 'freeze'] as const)('while the wire to PostgreSQL is %s', (fault) => {
  test('everything that needs it is answered 503, and the pool heals by itself', async () => {
    const id = await newOrder(agent);
    databaseWire[fault]();
    try {
      await expectUnavailable(() => claim(lp, id));
      await expectUnavailable(() => pay(agent));
      await expectUnavailable(() => agent.call('GET', `/api/v1/status/${id}`));
      expect((await corridor.anyone('GET', '/readyz')).body).toMatchObject({ ready: false, database: false });
    } finally {
      databaseWire.mend();
    }
    await untilReady();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
  });

  test('a step in flight, which commits when nobody hears of it, is carried out once', async () => {
    const id = await newOrder(agent);
    const database = await holdTable(databaseUrl, 'ledger_transfer');
    try {
      const claiming = claim(lp, id);
      await database.awaited();
      databaseWire[fault]();
      await database.letGo();
      const claimed = `select id from orders where id = $1 and status = 'claimed'`;
      await eventually(async () => (await database.query(claimed, [id])).length === 1);
      expect((await claiming).status).toBe(503);
    } finally {
      databaseWire.mend();
      await database.close();
    }
    await untilReady();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    // Its workflow made the step again until it heard of it.
    await eventuallyEquals(async () => (await corridor.shared.gateway.runningOrder(id))?.version, 2);
    const [done] = await corridor.db.query(
      'in-flight',
      `select (select count(*)::int from ledger_transfer where order_id = $1) as transfers,
         (select array_agg(cause order by seq) from order_event where order_id = $1) as causes`,
      [id],
    );
    expect(done).toEqual({ transfers: 1, causes: ['pay', 'claim'] });
  });
});
