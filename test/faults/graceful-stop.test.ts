import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, caller } from '../../demo/http.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { checkInvariants } from '../../src/invariants/check.ts';
import { createLogger } from '../../src/log.ts';
import { createOrderGateway } from '../../src/orders/gateway.ts';
import { type Agent, claim, fiatSent, newAgent, newLp, pay, type TestLp } from '../support/actors.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import { type Attempt, keptCaller } from '../support/kept-caller.ts';
import { run, type TestProcess } from '../support/processes.ts';
import { served } from '../support/served.ts';

/** Two APIs and two workers, each a process of its own; one of each is told to stop while all are at work. */
const CALLERS = 8;
let databaseUrl: string;
let namespace: string;
let database: pg.Client;
let apis: { process: TestProcess; baseUrl: string }[];
let workers: TestProcess[];
let agent: Agent;
let lp: TestLp;

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  database = new pg.Client(databaseUrl);
  await database.connect();
  namespace = `stop-${randomBytes(4).toString('hex')}`;
  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    PAY_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
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
  await Promise.all([...workers, ...apis.map(({ process }) => process)].map((p) => p.says('is running')));
  const [{ baseUrl } = { baseUrl: '' }] = apis;
  const corridor = {
    admin: caller(baseUrl, ADMIN_KEY),
    anyone: caller(baseUrl),
    as: (key: string) => caller(baseUrl, key),
  };
  await eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 200);
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 1_000_000 });
});
afterAll(async () => {
  for (const process of [...apis.map((api) => api.process), ...workers]) {
    process.kill('SIGKILL');
    await process.ended;
  }
  await database.end();
});

/** What callers were told is done. A call is repeated for as long as it is put off. */
const accepted = new Map<string, number>();
const claimed = new Set<number>();
const fiatIsSent = new Set<number>();

/** Pays, claims and sends, one order after the other, until it is told to end. */
async function keepCalling(name: string, baseUrls: string[], attempts: Attempt[], end: AbortSignal) {
  const { as } = keptCaller(baseUrls, attempts);
  const [payer, sender] = [
    { ...agent, call: as(agent.key) },
    { ...lp, call: as(lp.key) },
  ];
  for (let n = 0; !end.aborted; n++) {
    const key = `${name}-${n}`;
    const paid = await done(() => pay(payer, {}, { 'idempotency-key': key }));
    accepted.set(key, paid.order_id);
    await done(() => claim(sender, paid.order_id));
    claimed.add(paid.order_id);
    if (n % 2 === 0) continue;
    await done(() => fiatSent(sender, paid.order_id));
    fiatIsSent.add(paid.order_id);
  }
}

async function done(call: () => Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await served(call);
  if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Holds up every change of an order until what is awaited has come. */
async function whileNothingMoves(work: () => Promise<void>): Promise<void> {
  await database.query('begin');
  // Takes no transaction id: that would hold back the feeds of other tests' databases, too.
  await database.query('lock table orders in exclusive mode');
  await work().finally(() => database.query('rollback'));
}

const stepsThatWait = async () => {
  const sql = `select count(*)::int as n from pg_locks where relation = 'orders'::regclass and not granted`;
  return (await database.query<{ n: number }>(sql)).rows[0]?.n ?? 0;
};

test('told to stop, an API and a worker leave no request unanswered and no order behind', async () => {
  const [stopped, other] = apis as [(typeof apis)[number], (typeof apis)[number]];
  const [worker] = workers as [TestProcess];
  const socket = await connectFeed(stopped.baseUrl, { key: lp.key });
  await socket.next('snapshot');
  const attempts: Attempt[] = [];
  const end = new AbortController();
  const urls = [stopped.baseUrl, other.baseUrl];
  const calling = Promise.all(
    Array.from({ length: CALLERS }, (_, i) =>
      keepCalling(`caller-${i}`, i % 2 ? urls.toReversed() : urls, attempts, end.signal),
    ),
  );
  // A caller that fails ends the test, not a wait for what will never come.
  const unlessOneFails = (wait: Promise<unknown>) => Promise.race([wait, calling]);
  const takenBy = (baseUrl: string) => attempts.filter((attempt) => attempt.baseUrl === baseUrl);
  const underWay = () => takenBy(stopped.baseUrl).filter(({ outcome }) => outcome === undefined);
  const done = (count: number) => unlessOneFails(eventually(async () => fiatIsSent.size >= count));

  await done(CALLERS);
  let held: Attempt[] = [];
  await whileNothingMoves(async () => {
    await eventually(async () => underWay().length === CALLERS / 2 && (await stepsThatWait()) > 0);
    stopped.process.kill('SIGTERM');
    worker.kill('SIGTERM');
    // Its socket has been told: the listener is closed, and the requests at hand are being waited for.
    expect(await socket.closed).toBe(1001);
    await worker.says('stopping');
    // What was answered before the stop has arrived by now.
    await stepsThatWait();
    held = underWay();
  });
  expect(await unlessOneFails(Promise.all([stopped.process.ended, worker.ended]))).toEqual([0, 0]);
  await done(fiatIsSent.size + CALLERS);
  end.abort();
  await calling;

  // Whoever was answered is told to come back by another connection, and goes on elsewhere.
  const outcomes = Map.groupBy(attempts, ({ outcome }) => outcome);
  expect(held.length).toBeGreaterThan(0);
  expect(held.map(({ outcome, last }) => [outcome, last])).toEqual(
    held.map(() => [expect.any(Number), true]),
  );
  expect(
    [...outcomes.keys()].filter(
      (outcome) => ![200, 201, 503, 'no listener', 'idle race'].includes(outcome ?? ''),
    ),
  ).toEqual([]);
  expect(outcomes.get('no listener')?.length).toBeGreaterThanOrEqual(CALLERS / 2);

  // Orders that either worker had are carried on by the one that is left.
  const rest = [...claimed].filter((id) => !fiatIsSent.has(id));
  const sender = { ...lp, call: caller(other.baseUrl, lp.key) };
  const answers = await Promise.all(rest.map((id) => served(() => fiatSent(sender, id))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { rows } = await database.query('select id::int, status from orders order by id');
  expect(rows).toEqual(
    [...accepted.values()].sort((a, b) => a - b).map((id) => ({ id, status: 'fiat_sent' })),
  );
  expect(await breaches()).toEqual([]);
});

async function breaches() {
  const log = createLogger('silent');
  const db = await openDatabase({ url: databaseUrl, poolSize: 2, debug: () => undefined });
  const gateway = createOrderGateway({ address: testEnvironment().temporalAddress, namespace, log });
  try {
    return await checkInvariants({ db, gateway, log });
  } finally {
    await gateway.close();
    await db.close();
  }
}
