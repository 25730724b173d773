import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, createCaller } from '../../../dev/http-client.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { checkInvariants } from '../../../src/operations/diagnosis/check-invariants.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createOrderGateway } from '../../../src/temporal/gateway.ts';
import { type Agent, claim, fiatSent, newAgent, newLp, pay, type TestLp } from '../../support/actors.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { connectFeed } from '../../support/feed-client.ts';
import { type Attempt, keepAliveCaller } from '../../support/keep-alive-caller.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { countWaiting } from '../../support/waiting-statements.ts';

/** Two APIs and two workers, each in its own process. One of each is stopped under load. */
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
    ...databaseSettings(databaseUrl),
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    PAY_RATE_LIMIT: '0',
    AGENT_RATE_LIMIT: '0',
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
  await Promise.all([...workers, ...apis.map(({ process }) => process)].map((p) => p.prints('is running')));
  const [{ baseUrl } = { baseUrl: '' }] = apis;
  const corridor = {
    admin: createCaller(baseUrl, ADMIN_KEY),
    anyone: createCaller(baseUrl),
    as: (key: string) => createCaller(baseUrl, key),
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

/** The calls that succeeded. A caller repeats a call while it gets a 503. */
const accepted = new Map<string, number>();
const claimed = new Set<number>();
const fiatIsSent = new Set<number>();

/** Pays, claims and sends the fiat for orders in sequence, until `end` is aborted. */
async function keepCalling(name: string, baseUrls: string[], attempts: Attempt[], end: AbortSignal) {
  const { as } = keepAliveCaller(baseUrls, attempts);
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
  const { status, body } = await retryWhile503(call);
  if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Blocks every change of an order until `work` is done. */
async function whileOrdersAreLocked(work: () => Promise<void>): Promise<void> {
  await database.query('begin');
  // The lock takes no transaction id, which would also delay the feeds of other tests' databases.
  await database.query('lock table orders in exclusive mode');
  await work().finally(() => database.query('rollback'));
}

const countWaitingSteps = () => countWaiting(database, 'orders');

test('when an API and a worker are stopped, every request gets a response and every order continues', async () => {
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
  // A failing caller ends the test immediately, and not after a wait.
  const unlessOneFails = (wait: Promise<unknown>) => Promise.race([wait, calling]);
  const attemptsAt = (baseUrl: string) => attempts.filter((attempt) => attempt.baseUrl === baseUrl);
  const runningAttempts = () => attemptsAt(stopped.baseUrl).filter(({ outcome }) => outcome === undefined);
  const done = (count: number) => unlessOneFails(eventually(async () => fiatIsSent.size >= count));

  await done(CALLERS);
  let held: Attempt[] = [];
  await whileOrdersAreLocked(async () => {
    await eventually(async () => runningAttempts().length === CALLERS / 2 && (await countWaitingSteps()) > 0);
    stopped.process.kill('SIGTERM');
    worker.kill('SIGTERM');
    // The socket was closed with 1001: the listener is closed, and the API waits for the open requests.
    expect(await socket.closed).toBe(1001);
    await worker.prints('stopping');
    // Every response from before the stop has arrived by now.
    await countWaitingSteps();
    held = runningAttempts();
  });
  expect(await unlessOneFails(Promise.all([stopped.process.ended, worker.ended]))).toEqual([0, 0]);
  await done(fiatIsSent.size + CALLERS);
  end.abort();
  await calling;

  // Each of these responses closes its connection, so that the caller continues with another API.
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

  // The remaining worker continues the orders of both workers.
  const rest = [...claimed].filter((id) => !fiatIsSent.has(id));
  const sender = { ...lp, call: createCaller(other.baseUrl, lp.key) };
  const answers = await Promise.all(rest.map((id) => retryWhile503(() => fiatSent(sender, id))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { rows } = await database.query('select id::int, status from orders order by id');
  expect(rows).toEqual(
    [...accepted.values()].sort((a, b) => a - b).map((id) => ({ id, status: 'fiat_sent' })),
  );
  expect(await findings()).toEqual([]);
});

async function findings() {
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
