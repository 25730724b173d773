import { expect, test } from '@jest/globals';
import { claim, confirm, fiatSent, newLp, pay, payment, settle, statusOf } from '../../support/actors.ts';
import { inCrashTest } from '../../support/crash-test.ts';
import { databaseSettings } from '../../support/database.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { holdTable } from '../../support/held-table.ts';
import { confirmedOrder, newOrder, settleAgain } from '../../support/repeated-steps.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

/** Kills a worker at each point where a crash could harm an order. Another worker continues the order. */

test.concurrent.each(['step.begun', 'step.committed'] as const)(
  'a worker that dies at %s of a claim locks the collateral once',
  inCrashTest(async ({ corridor, agent, lp, workerDiesDuring, lockedBy, causesOf }, point) => {
    const id = await newOrder(agent);
    const before = await lockedBy(lp);
    await workerDiesDuring(point, () => claim(lp, id));

    await corridor.startWorker();
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    const { body } = await claim(lp, id);
    expect(await lockedBy(lp)).toBeCloseTo(before + body.collateral_locked, 2);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
  }),
);

test.concurrent.each([
  ['still commits', 'claimed: applied', 10],
  ['is rolled back', 'matched: ', 0],
] as const)(
  'a worker that dies while its claim waits in the database, which %s, locks the collateral once',
  inCrashTest(
    async ({ corridor, databaseUrl, agent, lp, crashing, lockedBy, causesOf }, end, left, locked) => {
      const id = await newOrder(agent);
      const before = await lockedBy(lp);
      await corridor.stopWorker();
      // Between the worker and the database. The test decides whether the database notices the worker's death.
      const server = new URL(databaseUrl);
      const network = await startTcpProxy(server.hostname, Number(server.port));
      server.port = String(network.port);
      const { process: worker } = await crashing.startPart('worker', databaseSettings(server.href));
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
        await database.waitUntilBlocked();
        // The transaction is open, so its changes are not visible.
        expect([await orderNow(), await lockedBy(lp)]).toEqual(['matched: ', before]);
        network.partition();
        worker.kill('SIGKILL');
        expect(await worker.ended).toBe('SIGKILL');
        expect((await claiming).status).toBe(503);

        await database.waitUntilBlocked();
        if (end === 'is rolled back') await database.endWaiting();
        await database.release();
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
  ),
);

test.concurrent(
  'a worker that dies after it recorded a refusal leaves the claim refused',
  inCrashTest(async ({ corridor, agent, lp, crashing, causesOf }) => {
    const id = await newOrder(agent);
    const other = await newLp(corridor);
    await corridor.stopWorker();
    // Both claims reach the workflow before a worker can process them.
    const first = claim(lp, id);
    const second = claim(other, id);
    const worker = await crashing.start('worker', 'answer.committed');
    await Promise.all([first, second]);
    await worker.died();

    await corridor.startWorker();
    await eventually(async () => (await statusOf(agent, id)) === 'claimed');
    const answers = await Promise.all([claim(lp, id), claim(other, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
  }),
);

test.concurrent.each(['verification.begun', 'verification.seen', 'verification.recorded'] as const)(
  'after a worker that dies at %s another one verifies, and the order completes once',
  inCrashTest(async ({ corridor, agent, lp, workerDiesDuring, causesOf }, point) => {
    const id = await confirmedOrder(agent, lp);
    const hash = await payment(corridor, agent, id);
    await workerDiesDuring(point, () => settle(agent, id, hash));

    await corridor.startWorker();
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
    expect(await causesOf(id)).toEqual(['pay', 'claim', 'fiatSent', 'confirm', 'settle', 'verified']);
  }),
);

test.concurrent.each(['reconciler.begun', 'reconciler.started'] as const)(
  'after a reconciler that dies at %s another one starts the workflow of the order',
  inCrashTest(async ({ corridor, agent, lp, crashing }, point) => {
    await corridor.stopWorker();
    await crashing.duringCall('pay.committed', (as) =>
      pay({ ...agent, call: as(agent.key) }, {}, { 'idempotency-key': point }),
    );
    const reconciling = await crashing.start('worker', point);
    await reconciling.died();

    await corridor.startWorker();
    const { body } = await pay(agent, {}, { 'idempotency-key': point });
    await eventuallyEquals(async () => (await claim(lp, body.order_id)).status, 200);
  }),
);

test.concurrent(
  'an order completes although a new worker dies at each of its steps',
  inCrashTest(async ({ corridor, agent, lp, workerDiesDuring, causesOf }) => {
    const id = await newOrder(agent);
    const hash = 'sandbox-paid-crashes';
    for (const step of [
      () => claim(lp, id),
      () => fiatSent(lp, id),
      () => confirm(agent, id),
      () => settleAgain(agent, id, hash),
    ]) {
      await workerDiesDuring('step.committed', step);
      await corridor.startWorker();
      await eventuallyEquals(async () => (await step()).status, 200);
    }
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
    expect(await causesOf(id)).toEqual(['pay', 'claim', 'fiatSent', 'confirm', 'settle', 'verified']);
  }),
  600_000,
);
