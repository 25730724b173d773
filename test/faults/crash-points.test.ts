import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Call } from '../../dev/http-client.ts';
import type { CrashPoint } from '../../src/process/crash-point.ts';
import {
  type Agent,
  claim,
  collateralOf,
  confirm,
  confirmedOrder,
  deposit,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  pay,
  payment,
  settle,
  settleAgain,
  statusOf,
  type TestLp,
} from '../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { type Dying, dyingBeside } from '../support/dying.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { holdTable } from '../support/held-table.ts';
import { expectSound, expectSoundWhenStill } from '../support/soundness.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/**
 * Kills a process at each point where a crash could do harm. The dying process is separate; the Corridor that repairs
 * what it leaves behind runs in the test process.
 */
let corridor: TestCorridor;
let databaseUrl: string;
let agent: Agent;
let lp: TestLp;
let dying: Dying;

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  corridor = await startCorridor({ databaseUrl });
  dying = dyingBeside(corridor, databaseUrl);
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterEach(async () => {
  await dying.end();
  await corridor.startWorker();
  await expectSound(corridor);
});
afterAll(() => corridor.stop());

const startDying: Dying['start'] = (part, point) => dying.start(part, point);
const dieOver: Dying['over'] = (point, call) => dying.over(point, call);

/** Replaces the worker by one that dies at `point` of the work that `act` causes. */
async function workerDiesOver(point: CrashPoint, act: () => Promise<unknown>) {
  await corridor.stopWorker();
  const worker = await startDying('worker', point);
  await act();
  await worker.died();
}

const eventsOf = async (orderId: number) =>
  corridor.db.query<{ cause: string; actor: string }>(
    'crash-events',
    'select cause, actor from order_event where order_id = $1 order by seq',
    [orderId],
  );
const causesOf = async (orderId: number) => (await eventsOf(orderId)).map(({ cause }) => cause);
const lockedBy = async (one: TestLp) => (await collateralOf(corridor, one)).locked;

test.each(['pay.committed', 'pay.started'] as const)(
  'an API that dies at %s has created the order, and a retry returns it',
  async (point) => {
    const key = { 'idempotency-key': point };
    await dieOver(point, (as) => pay({ ...agent, call: as(agent.key) }, {}, key));

    const [again, once] = [await pay(agent, {}, key), await pay(agent, {}, key)];
    expect(again).toMatchObject({ status: 200, body: { idempotent_replay: true, status: 'matched' } });
    expect(once.body.order_id).toBe(again.body.order_id);
    // Either the API has started the workflow, or the reconciler starts it.
    await eventuallyEquals(async () => (await claim(lp, again.body.order_id)).status, 200);
    expect(await causesOf(again.body.order_id)).toEqual(['pay', 'claim']);
  },
);

test.each(['command.signalled', 'command.recorded'] as const)(
  'an API that dies at %s of a claim has claimed the order, and a retry returns 200',
  async (point) => {
    const id = await newOrder(agent);
    const before = await lockedBy(lp);
    await dieOver(point, (as) => claim({ ...lp, call: as(lp.key) }, id));

    const retried = await claim(lp, id);
    expect(retried).toMatchObject({
      status: 200,
      body: { status: 'claimed', lp_receive_address: lp.address },
    });
    expect(await lockedBy(lp)).toBeCloseTo(before + retried.body.collateral_locked, 2);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
  },
);

test.each(['step.begun', 'step.committed'] as const)(
  'a worker that dies at %s of a claim locks the collateral once',
  async (point) => {
    const id = await newOrder(agent);
    const before = await lockedBy(lp);
    await workerDiesOver(point, () => claim(lp, id));

    await corridor.startWorker();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    const { body } = await claim(lp, id);
    expect(await lockedBy(lp)).toBeCloseTo(before + body.collateral_locked, 2);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
  },
);

test.each([
  ['commits all the same', 'claimed: applied', 10],
  ['is rolled back', 'matched: ', 0],
] as const)(
  'a worker that dies while its claim waits in the database, which %s, locks the collateral once',
  async (end, left, locked) => {
    // Else the worker could repeat the claim of an earlier test, whose worker died, and that claim would wait.
    await expectSoundWhenStill(corridor);
    const id = await newOrder(agent);
    const before = await lockedBy(lp);
    await corridor.stopWorker();
    // Between the worker and the database, so that the test decides what the database hears of the worker's death.
    const server = new URL(databaseUrl);
    const network = await startTcpProxy(server.hostname, Number(server.port));
    server.port = String(network.port);
    const { process: worker } = await dying.startPart('worker', { DATABASE_URL: server.href });
    const orderNow = async () => {
      const [row] = await corridor.db.query<{ status: string; outcomes: string }>(
        'crash-status',
        `select status, (select coalesce(string_agg(result, ' '), '') from order_outcome where order_id = orders.id) as outcomes
         from orders where id = $1`,
        [id],
      );
      return `${row?.status}: ${row?.outcomes}`;
    };
    const database = await holdTable(databaseUrl, 'ledger_transfer');
    try {
      const claiming = claim(lp, id);
      await database.awaited();
      // The transaction is open, so nothing of it is visible.
      expect([await orderNow(), await lockedBy(lp)]).toEqual(['matched: ', before]);
      network.lose();
      worker.kill('SIGKILL');
      expect(await worker.ended).toBe('SIGKILL');
      expect((await claiming).status).toBe(503);

      await database.awaited();
      if (end === 'is rolled back') await database.endWaiting();
      await database.letGo();
      await eventuallyEquals(orderNow, left);
      expect(await lockedBy(lp)).toBeCloseTo(before + locked, 2);
    } finally {
      await database.close();
      await network.close();
    }

    await corridor.startWorker();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    const { body } = await claim(lp, id);
    expect(await lockedBy(lp)).toBeCloseTo(before + body.collateral_locked, 2);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
    const transfers = 'select count(*)::int as n from ledger_transfer where order_id = $1';
    expect(await corridor.db.query('crash-transfers', transfers, [id])).toEqual([{ n: 1 }]);
  },
);

test('a worker that dies after it recorded a refusal leaves the claim refused', async () => {
  const id = await newOrder(agent);
  const other = await newLp(corridor);
  await corridor.stopWorker();
  // Both claims reach the workflow before a worker can process them.
  const first = claim(lp, id);
  const second = claim(other, id);
  const worker = await startDying('worker', 'answer.committed');
  await Promise.all([first, second]);
  await worker.died();

  await corridor.startWorker();
  await eventually(async () => (await statusOf(agent, id)) === 'claimed');
  const answers = await Promise.all([claim(lp, id), claim(other, id)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await causesOf(id)).toEqual(['pay', 'claim']);
});

test.each([
  ['webhook.sent', 2],
  ['webhook.recorded', 1],
] as const)(
  'after a worker that died at %s the receiver has seen the same bytes %i times',
  async (point, times) => {
    const id = await newOrder(agent, { callback_url: corridor.receiver.url });
    await workerDiesOver(point, () => claim(lp, id));

    await corridor.startWorker();
    await eventuallyEquals(async () => (await fiatSent(lp, id)).status, 200);
    // Webhooks arrive in order: once the second has arrived, the first is finished.
    // Temporal gives the dead worker half a minute for its webhook.
    const heard = async () =>
      corridor.receiver.received.some(({ body }) => body.order_id === id && body.status === 'fiat_sent');
    await eventually(heard, 120_000);
    const claims = corridor.receiver.received.filter(
      ({ body }) => body.order_id === id && body.status === 'claimed',
    );
    expect(claims).toHaveLength(times);
    expect(new Set(claims.map(({ raw }) => raw)).size).toBe(1);
    expect(new Set(claims.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  },
);

test('a receiver gets three POSTs of a webhook, although a worker died during each attempt', async () => {
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  await workerDiesOver('webhook.sent', () => claim(lp, id));
  for (let deaths = 1; deaths < 3; deaths++) await (await startDying('worker', 'webhook.sent')).died();

  await corridor.startWorker();
  const state = async () => {
    const sql = 'select state, attempts from webhook_delivery where order_id = $1 and seq = 2';
    return (await corridor.db.query<{ state: string; attempts: number }>('crash-webhook', sql, [id]))[0];
  };
  await eventually(async () => (await state())?.state === 'exhausted', 120_000);
  expect((await state())?.attempts).toBe(3);
  const posts = corridor.receiver.received.filter(({ body }) => body.order_id === id);
  expect(posts.map(({ body }) => body.status)).toEqual(['claimed', 'claimed', 'claimed']);
}, 300_000);

test.each(['verification.begun', 'verification.seen', 'verification.recorded'] as const)(
  'after a worker that dies at %s another one verifies, and the order completes once',
  async (point) => {
    const id = await confirmedOrder(agent, lp);
    const hash = await payment(corridor, agent, id);
    await workerDiesOver(point, () => settle(agent, id, hash));

    await corridor.startWorker();
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
    expect(await causesOf(id)).toEqual(['pay', 'claim', 'fiatSent', 'confirm', 'settle', 'verified']);
  },
);

test.each(['reconciler.begun', 'reconciler.started'] as const)(
  'after a reconciler that dies at %s another one starts the workflow of the order',
  async (point) => {
    await corridor.stopWorker();
    await dieOver('pay.committed', (as) =>
      pay({ ...agent, call: as(agent.key) }, {}, { 'idempotency-key': point }),
    );
    const reconciling = await startDying('worker', point);
    await reconciling.died();

    await corridor.startWorker();
    const { body } = await pay(agent, {}, { 'idempotency-key': point });
    await eventuallyEquals(async () => (await claim(lp, body.order_id)).status, 200);
  },
);

test('a redelivery during which the API dies is still sent', async () => {
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  await claim(lp, id);
  const heard = () => corridor.receiver.received.filter(({ body }) => body.order_id === id).length;
  const list = async () =>
    (await agent.call('GET', `/api/v1/webhook-deliveries?order_id=${id}`)).body.deliveries;
  await eventually(async () => (await list())[0].state === 'delivered');
  const [delivery] = await list();
  const path = `/api/v1/webhook-deliveries/${delivery.id}/redeliver`;
  await dieOver('redelivery.reopened', (as) => as(agent.key)('POST', path, {}));

  // The workflow runs on without a signal, and nothing else moves the webhook.
  await eventuallyEquals(async () => heard() >= 2 && (await list())[0].state, 'delivered');
});

test('an API that dies during a withdrawal has reserved it once, and a retry returns it', async () => {
  const before = await collateralOf(corridor, lp);
  const path = `/api/lp/${lp.key}/collateral/withdraw`;
  const ask = (call: Call) => call('POST', path, { amount: 50, address: 'T1' }, { 'idempotency-key': 'w' });
  await dieOver('withdrawal.committed', (as) => ask(as(lp.key)));

  const retried = await ask(lp.call);
  expect(retried).toMatchObject({ status: 200, body: { amount: 50, status: 'requested' } });
  expect((await collateralOf(corridor, lp)).available).toBe(before.available - 50);

  const decide = (call: Call) => call('POST', `/api/admin/withdrawals/${retried.body.id}/paid`, {});
  await dieOver('withdrawal.decided', (as) => decide(as(ADMIN_KEY)));
  expect(await decide(corridor.admin)).toMatchObject({ status: 200, body: { status: 'paid' } });
  expect((await collateralOf(corridor, lp)).available).toBe(before.available - 50);
});

test('an API that dies during a deposit has credited it once', async () => {
  const before = await collateralOf(corridor, lp);
  await dieOver('deposit.committed', (as) => deposit({ ...lp, call: as(lp.key) }, 70));

  const made = await corridor.db.query<{ id: number }>(
    'crash-deposit',
    'select max(id) as id from collateral_deposit where lp_id = $1',
    [lp.id],
  );
  const again = await lp.call('POST', `/api/lp/${lp.key}/collateral/${made[0]?.id}/confirm`, {});
  expect(again.status).toBe(200);
  expect((await collateralOf(corridor, lp)).available).toBeCloseTo(before.available + 70, 1);
});

test('an order completes although a new worker dies at each of its steps', async () => {
  const id = await newOrder(agent);
  const hash = 'sandbox-paid-crashes';
  for (const step of [
    () => claim(lp, id),
    () => fiatSent(lp, id),
    () => confirm(agent, id),
    () => settleAgain(agent, id, hash),
  ]) {
    await workerDiesOver('step.committed', step);
    await corridor.startWorker();
    await eventuallyEquals(async () => (await step()).status, 200);
  }
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  expect(await causesOf(id)).toEqual(['pay', 'claim', 'fiatSent', 'confirm', 'settle', 'verified']);
}, 600_000);

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));
