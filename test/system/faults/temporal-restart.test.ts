import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { type KillableTemporal, startKillableTemporal } from '../../../storms/faults/servers.ts';
import { orderWorkflowId } from '../../../workflows/messages.ts';
import {
  type Agent,
  adminDoes,
  claim,
  collateralOf,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  pay,
  payment,
  settle,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { confirmedOrder, newOrder, settleAgain } from '../../support/repeated-steps.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { expectSound, expectSoundWhenStill } from '../../support/soundness.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** A Temporal for this file alone, with the settings of `npm start`. The tests kill it and restart it on its store. */
let folder: string;
let temporal: KillableTemporal;
let proxy: TcpProxy;
let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;

const portOfTemporal = () => Number(temporal.url().port);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-temporal-restart-'));
  temporal = await startKillableTemporal(folder, testEnvironment().temporalBinary);
  proxy = await startTcpProxy('127.0.0.1', portOfTemporal());
  corridor = await startCorridor({
    temporalAddress: `${proxy.host}:${proxy.port}`,
    // On a slow machine the outage may exceed the tolerance, and Corridor would rightly move deadlines.
    env: { OUTAGE_THRESHOLD: '10m' },
  });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterEach(() => expectSound(corridor));
afterAll(async () => {
  await corridor.stop();
  await proxy.close();
  await temporal.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The workflow runs of these orders, from the current Temporal server. */
async function runsOf(ids: number[]): Promise<string[]> {
  const connection = await Connection.connect({ address: temporal.url().host });
  try {
    const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
    const found = ids.map((id) => workflow.getHandle(orderWorkflowId(id)).describe());
    return (await Promise.all(found)).map(({ runId }) => runId);
  } finally {
    await connection.close();
  }
}

async function restart(): Promise<void> {
  await temporal.start();
  proxy.moveTo(portOfTemporal());
  await eventually(async () => (await corridor.anyone('GET', '/readyz')).status === 200, 120_000);
}

const PAID = ['pay', 'claim', 'fiatSent', 'confirm', 'settle', 'verified'];
const causesOf = async (id: number) => {
  const sql = 'select cause from order_event where order_id = $1 order by seq';
  return (await corridor.db.query<{ cause: string }>('restart-causes', sql, [id])).map(({ cause }) => cause);
};

test('orders in every stage continue after a kill of Temporal and a restart on its store', async () => {
  const withCallback = { callback_url: corridor.receiver.url };
  const matched = await newOrder(agent, withCallback);
  const claimed = await newOrder(agent, withCallback);
  expect((await retryWhile503(() => claim(lp, claimed))).status).toBe(200);
  const sent = await newOrder(agent, withCallback);
  expect((await retryWhile503(() => claim(lp, sent))).status).toBe(200);
  expect((await retryWhile503(() => fiatSent(lp, sent))).status).toBe(200);
  const confirmed = await confirmedOrder(agent, lp, withCallback);
  const verifying = await confirmedOrder(agent, lp, withCallback);
  // The transaction is not final before Temporal is back, so the kill comes between two polls of the workflow.
  const late = await payment(corridor, agent, verifying, { final_after_ms: 3_600_000 });
  expect((await retryWhile503(() => settle(agent, verifying, late))).status).toBe(200);
  const frozen = await newOrder(agent, withCallback);
  expect((await retryWhile503(() => adminDoes(corridor.admin, 'freeze', frozen))).status).toBe(200);
  const ids = [matched, claimed, sent, confirmed, verifying, frozen];
  const before = await runsOf(ids);
  const deadlines = () =>
    corridor.db.query('restart-deadlines', 'select id, timeout_at from orders order by id', []);
  const due = await deadlines();

  await temporal.kill();
  const key = { 'idempotency-key': 'temporal-killed' };
  expect((await fiatSent(lp, claimed)).status).toBe(503);
  expect((await pay(agent, {}, key)).status).toBe(503);
  expect(await statusOf(agent, claimed)).toBe('claimed');
  await restart();

  // The same runs, not new ones from the reconciler, with unchanged deadlines.
  expect(await runsOf(ids)).toEqual(before);
  const kept = (await deadlines()).filter(({ id }) => ids.includes(id as number));
  expect(kept).toEqual(due);

  expect((await retryWhile503(() => pay(agent, {}, key))).status).toBeLessThan(300);
  await corridor.db.query(
    'restart-final',
    `update sandbox_transaction set final_at = date_trunc('milliseconds', now()) where tx_hash = $1`,
    [late],
  );
  await eventuallyEquals(async () => (await adminDoes(corridor.admin, 'unfreeze', frozen)).status, 200);
  // Each order continues from its last step.
  const finishOrder = async (id: number, stepsMade: number) => {
    const hash = `sandbox-paid-${id}`;
    const steps = [
      () => claim(lp, id),
      () => fiatSent(lp, id),
      () => confirm(agent, id),
      () => settleAgain(agent, id, hash),
    ];
    for (const step of steps.slice(stepsMade)) await eventuallyEquals(async () => (await step()).status, 200);
  };
  await Promise.all([matched, claimed, sent, confirmed].map(finishOrder));
  for (const id of [matched, claimed, sent, confirmed, verifying]) {
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
    expect(await causesOf(id)).toEqual(PAID);
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
  }
  await eventuallyEquals(async () => (await claim(lp, frozen)).status, 200);
  expect(await causesOf(frozen)).toEqual(['pay', 'freeze', 'unfreeze', 'claim']);
});

test('each claim, payment and settlement during a kill of Temporal takes effect once', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => newOrder(agent)));
  const paid = await Promise.all([confirmedOrder(agent, lp), confirmedOrder(agent, lp)]);
  const hashes = await Promise.all(paid.map((id) => payment(corridor, agent, id)));
  const { locked } = await collateralOf(corridor, lp);
  const keys = ids.map((_, i) => ({ 'idempotency-key': `temporal-killed-${i}` }));

  const calls = [
    ...ids.map((id) => claim(lp, id)),
    ...paid.map((id, i) => settle(agent, id, hashes[i] as string)),
  ];
  const payments = keys.map((key) => pay(agent, {}, key));
  // Some calls have an answer, the others are in flight.
  await Promise.any([...calls, ...payments]);
  await temporal.kill();
  const answers = await Promise.all(calls);
  const first = await Promise.all(payments);
  for (const { status } of answers) expect([200, 503]).toContain(status);
  for (const { status } of first) expect([201, 503]).toContain(status);
  await restart();

  for (const [i, key] of keys.entries()) {
    const again = await retryWhile503(() => pay(agent, {}, key));
    const made = first[i]?.status === 201 ? { status: 200, body: { order_id: first[i]?.body.order_id } } : {};
    expect([200, 201]).toContain(again.status);
    expect(again).toMatchObject(made);
    await eventuallyEquals(async () => (await claim(lp, again.body.order_id)).status, 200);
  }
  for (const id of ids) {
    await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
  }
  for (const [i, id] of paid.entries()) {
    await eventuallyEquals(async () => {
      if ((await statusOf(agent, id)) === 'confirmed') await settle(agent, id, hashes[i] as string);
      return statusOf(agent, id);
    }, 'completed');
    expect(await causesOf(id)).toEqual(PAID);
  }
  // Sixteen claims lock ten dollars each, and the two settled orders have released theirs.
  expect((await collateralOf(corridor, lp)).locked).toBeCloseTo(locked + 16 * 10 - 2 * 10, 2);
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));
