import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { type Answer, createCaller } from '../../../dev/http-client.ts';
import { startWebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { isFinal, type OrderStatus } from '../../../src/domain/order-state.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { createLogger } from '../../../src/process/log.ts';
import { openShared } from '../../../src/service/compose.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { orderIdOf, SEARCH_ATTRIBUTES } from '../../../workflows/messages.ts';
import {
  adminDoes,
  cancel,
  claim,
  confirm,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  payment,
  rowOf,
  settle,
} from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { COMMAND_SECRET } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';
import { newOrder } from '../../support/repeated-steps.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { type LosableTemporal, startLosableTemporal } from '../../support/temporal-server.ts';

/** A Corridor in one process or in several. */
interface Installation extends Pick<TestCorridor, 'admin' | 'anyone' | 'as' | 'db' | 'receiver' | 'shared'> {
  namespace: string;
  /** Fails if one of its processes has ended early. */
  stop: () => Promise<void>;
}

const SETTINGS = {
  // Only the unclaimed order expires during the test. The others are claimed or extended.
  CLAIM_TIMEOUT: '30s',
  // On a slow machine the outage may exceed the tolerance, and Corridor would rightly move deadlines.
  OUTAGE_THRESHOLD: '10m',
};
const TIMEOUT_MS = 120_000;

const startTogether = async ({ address }: LosableTemporal): Promise<Installation> => {
  const corridor = await startCorridor({ temporalAddress: address, env: SETTINGS });
  return { ...corridor, namespace: corridor.config.temporalNamespace };
};

/** An API and two workers, each in its own process. */
const startApart = async ({ address }: LosableTemporal): Promise<Installation> => {
  const databaseUrl = await freshDatabase();
  const namespace = `apart-${randomBytes(4).toString('hex')}`;
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...SETTINGS,
    PORT: String(port),
    ...databaseSettings(databaseUrl),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    PAY_RATE_LIMIT: '0',
    AGENT_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
  };
  const processes = ['worker', 'worker', 'api'].map((part) => run('src/main.ts', [part], env));
  await Promise.all(processes.map((process) => process.prints('is running')));
  const anyone = createCaller(baseUrl);
  await eventually(async () => (await anyone('GET', '/readyz')).status === 200, TIMEOUT_MS);
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  // Reads the same servers without going through the processes.
  const shared = await openShared({
    config: loadConfig(env),
    secrets: { adminApiKey: ADMIN_KEY, webhookSecret: WEBHOOK_SECRET, commandSecret: COMMAND_SECRET },
    ...{ databaseUrl, temporalAddress: address, log: createLogger('silent') },
  });
  return {
    ...{ shared, db: shared.db, namespace, receiver, anyone, admin: createCaller(baseUrl, ADMIN_KEY) },
    as: (key) => createCaller(baseUrl, key),
    stop: async () => {
      for (const process of processes) process.kill('SIGTERM');
      const ends = await Promise.all(processes.map((process) => process.ended));
      await receiver.close();
      await shared.close();
      expect(ends).toEqual([0, 0, 0]);
    },
  };
};

const PAID: OrderStatus[] = ['claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed'];
/** The statuses of each order's events, oldest first. */
const LIFECYCLES: Record<string, OrderStatus[]> = {
  matched: ['matched', 'matched', ...PAID],
  claimed: ['matched', ...PAID],
  fiat_sent: ['matched', ...PAID],
  confirmed: ['matched', ...PAID],
  crypto_verify_pending: ['matched', ...PAID],
  disputed: ['matched', 'claimed', 'fiat_sent', 'disputed', 'completed'],
  frozen: ['matched', 'claimed', 'claimed', ...PAID],
  pendingWebhook: ['matched', 'cancelled'],
  young: ['matched', ...PAID],
  unclaimed: ['matched', 'cancelled'],
};

/** The running orders of a namespace, with their deadlines. */
async function deadlinesIn(workflow: Client['workflow']): Promise<Map<number, number | undefined>> {
  const due = new Map<number, number | undefined>();
  for await (const { workflowId, typedSearchAttributes } of workflow.list({
    query: `ExecutionStatus = 'Running'`,
  }))
    due.set(orderIdOf(workflowId) ?? 0, typedSearchAttributes.get(SEARCH_ATTRIBUTES.dueAt)?.getTime());
  return due;
}

/**
 * Performs a step. Repeats it after a 503, which a slow or missing worker causes. The first call may still have made the
 * step, so that the repetition is refused because the order has moved on.
 */
const done = (call: () => Promise<Answer>) => {
  let unsure = false;
  return eventually(async () => {
    const { status, body } = await call();
    if (status === 200 || (status === 409 && unsure)) return true;
    if (status !== 503) throw new Error(`the API answered ${status}: ${JSON.stringify(body)}`);
    unsure = true;
    return false;
  }, TIMEOUT_MS);
};

interface Row {
  id: number;
  status: OrderStatus;
  version: number;
  timeout_at: string | null;
  frozen_ms: number | null;
}
const ROWS = 'select id, status, version, timeout_at, frozen_ms from orders order by id';

type End = () => Promise<unknown>;
/** Wraps the body of a test that adds its servers to `atTheEnd`. They end in reverse order, even if the test fails. */
const endingAll =
  <Args extends unknown[]>(body: (atTheEnd: End[], ...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    const atTheEnd: End[] = [];
    const failures: unknown[] = [];
    const noteFailure = (error: unknown) => failures.push(error);
    await body(atTheEnd, ...args).catch(noteFailure);
    for (const end of atTheEnd.reverse()) await end().catch(noteFailure);
    if (failures.length > 1) throw new AggregateError(failures, String(failures[0]));
    if (failures.length === 1) throw failures[0];
  };

test.concurrent.each([
  ['in one process', startTogether],
  ['in separate processes', startApart],
])(
  '%s, Corridor loses no order when Temporal loses all its data',
  endingAll(async (atTheEnd, _, start) => {
    const temporal = await startLosableTemporal();
    atTheEnd.push(temporal.stop);
    const corridor = await start(temporal);
    atTheEnd.push(corridor.stop);
    const { admin, anyone, db, receiver } = corridor;
    const receiverProxy = await startTcpProxy('127.0.0.1', Number(new URL(receiver.url).port));
    atTheEnd.push(receiverProxy.close);
    const agent = await newAgent(corridor);
    const lp = await newLp(corridor, { collateral: 10_000 });
    const withCallback = { callback_url: receiver.url };
    const hashes = new Map<number, string>();
    const hashOf = async (id: number) => {
      const hash = hashes.get(id) ?? (await payment({ anyone }, agent, id));
      hashes.set(id, hash);
      return hash;
    };
    const ids: Record<string, number> = {};
    const order = async (...steps: ((id: number) => Promise<Answer>)[]) => {
      const id = await newOrder(agent, withCallback);
      for (const step of steps) await done(() => step(id));
      return id;
    };
    const claims = (id: number) => claim(lp, id);
    const sends = (id: number) => fiatSent(lp, id);
    const confirms = (id: number) => confirm(agent, id);
    const unseen = randomBytes(32).toString('hex');
    ids.matched = await order((id) => adminDoes(admin, 'extend', id, { until: '2036-01-01' }));
    ids.claimed = await order(claims);
    ids.fiat_sent = await order(claims, sends);
    ids.confirmed = await order(claims, sends, confirms);
    ids.crypto_verify_pending = await order(claims, sends, confirms, (id) => settle(agent, id, unseen));
    ids.disputed = await order(claims, sends, (id) => dispute(agent, id));
    ids.frozen = await order(claims, (id) => adminDoes(admin, 'freeze', id));
    // The receiver holds this webhook when Temporal stops, so it is not delivered.
    const address = `http://${receiverProxy.host}:${receiverProxy.port}/webhooks`;
    const pendingWebhook = await newOrder(agent, { callback_url: address });
    ids.pendingWebhook = pendingWebhook;
    receiverProxy.freeze();
    await done(() => cancel(agent, pendingWebhook));
    ids.young = await order(claims);
    ids.unclaimed = await order();
    const before = await db.query<Row>('loss-rows', ROWS, []);

    await temporal.loseEverything();
    receiverProxy.restore();

    const connection = await Connection.connect({ address: temporal.address });
    atTheEnd.push(() => connection.close());
    const { workflow } = new Client({ connection, namespace: corridor.namespace });
    const live = before.filter(({ id, status }) => !isFinal(status) && id !== ids.unclaimed);
    const missing = async () => {
      const due = await deadlinesIn(workflow).catch((error) => {
        // The list can fail only because the namespace is not usable yet.
        if (error.name !== 'NamespaceNotFoundError') throw error;
        return new Map<number, number | undefined>();
      });
      const shown = ({ id, timeout_at }: Row) =>
        due.has(id) && due.get(id) === (timeout_at === null ? undefined : Date.parse(timeout_at));
      return live.filter((row) => !shown(row)).map(({ id }) => id);
    };
    // Every order has a workflow again, which shows its old deadline.
    await eventuallyEquals(async () => (await missing()).join(), '', TIMEOUT_MS);
    const kept = await db.query<Row>('loss-rows', ROWS, []);
    const others = (rows: Row[]) => rows.filter(({ id }) => id !== ids.unclaimed);
    expect(others(kept)).toEqual(others(before));

    await db.query(
      'loss-transaction',
      `insert into sandbox_transaction (chain, tx_hash, symbol, "to", amount, final_at) select 'trx', $1, 'usdt', lp_receive_address, amount_crypto, now() from orders where id = $2`,
      [unseen, ids.crypto_verify_pending],
    );
    const next: Partial<Record<OrderStatus, (id: number) => Promise<Answer>>> = {
      matched: claims,
      claimed: sends,
      fiat_sent: confirms,
      confirmed: async (id) => settle(agent, id, await hashOf(id)),
      disputed: (id) => adminDoes(admin, 'resolve', id, { outcome: 'completed' }),
    };
    const finish = (id: number) =>
      eventually(async () => {
        const { status, frozen } = await rowOf(admin, id);
        if (isFinal(status)) return true;
        const step = frozen ? (id: number) => adminDoes(admin, 'unfreeze', id) : next[status as OrderStatus];
        if (step) await done(() => step(id));
        return false;
      }, TIMEOUT_MS);
    const unclaimed = ids.unclaimed;
    await Promise.all(live.map(({ id }) => finish(id)));
    await eventuallyEquals(async () => (await rowOf(admin, unclaimed)).status, 'cancelled', TIMEOUT_MS);
    const undelivered = `select count(*) as n from webhook_delivery where state <> 'delivered'`;
    await eventuallyEquals(
      async () => (await db.query<{ n: number }>('loss-undelivered', undelivered, []))[0]?.n,
      0,
      TIMEOUT_MS,
    );

    const events = await db.query<{ order_id: number; seq: number; status: OrderStatus; late: boolean }>(
      'loss-events',
      `select e.order_id, seq, e.status, cause = 'deadline' and e.created_at >= o.expires_at as late
     from order_event e join orders o on o.id = e.order_id order by e.order_id, seq`,
      [],
    );
    for (const [name, id] of Object.entries(ids)) {
      const own = events.filter(({ order_id }) => order_id === id);
      expect([name, own.map(({ status }) => status)]).toEqual([name, LIFECYCLES[name]]);
      expect(own.map(({ seq }) => seq)).toEqual(own.map((_, i) => i + 1));
      const received = receiver.received.filter(({ body }) => body.order_id === id);
      // A webhook may arrive twice, but never out of order.
      const statuses = received
        .map(({ body }) => body.status)
        .filter((status, i, all) => status !== all[i - 1]);
      const changes = own
        .map(({ status }) => status)
        .filter((status, i, all) => i > 0 && status !== all[i - 1]);
      expect([name, statuses]).toEqual([name, changes]);
    }
    // Corridor kept the deadline: the order expired, and not early.
    expect(events.findLast(({ order_id }) => order_id === unclaimed)?.late).toBe(true);
    // The check only uses the servers, so it works for both installations.
    await expectSoundWhenStill(corridor as Installation & TestCorridor);
  }),
  600_000,
);
