import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { expectStatus } from '../../dev/http-client.ts';
import { createJobRunner, type RunnerDeps } from '../../src/operations/upkeep/job-runner.ts';
import { createReconciler } from '../../src/operations/upkeep/reconciler.ts';
import { createUpkeepMetrics } from '../../src/process/metrics/upkeep.ts';
import { createOrderGateway, type OrderGateway } from '../../src/temporal/gateway.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { readExposition } from '../support/exposition.ts';
import type { TestLp } from '../support/parties.ts';
import { takeStep } from '../support/take-step.ts';

/** Upkeep while Temporal refuses all calls for one order. No worker runs, so these rounds are the only ones. */
const corridor = await startCorridor({ worker: false });
const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
const agent = await corridor.newAgent();
const lps = { kes: await corridor.newLp(), ugx: await corridor.newLp({ currency: 'UGX', rate: 3_700 }) };
afterAll(async () => {
  await connection.close();
  await corridor.stop();
});

const workflowOf = (id: number) =>
  new Client({ connection, namespace: corridor.config.temporalNamespace }).workflow.getHandle(
    orderWorkflowId(id),
  );
const isRunning = async (id: number) => (await workflowOf(id).describe()).status.name === 'RUNNING';
const signalsOf = async (id: number, signal: string) =>
  ((await workflowOf(id).fetchHistory()).events ?? []).filter(
    ({ workflowExecutionSignaledEventAttributes: signaled }) => signaled?.signalName === signal,
  ).length;

async function withoutWorkflow(): Promise<number> {
  const id = await agent.newOrder();
  await eventually(() => isRunning(id));
  await workflowOf(id).terminate('by the test');
  await corridor.sql(`update orders set created_at = now() - interval '1 minute' where id = $1`, [id]);
  return id;
}

/** Creates an order whose row moved without its workflow. */
async function lagging(): Promise<number> {
  const id = await agent.newOrder();
  await eventually(() => isRunning(id));
  await takeStep(corridor.db, 'extendDeadline', id, { trigger: 'extend', until: '2036-01-01T00:00:00.000Z' });
  await corridor.sql(`update orders set created_at = now() - interval '1 minute' where id = $1`, [id]);
  return id;
}

/** Creates and cancels an order, which adds an event for the order totals. */
async function cancelled(): Promise<void> {
  const id = await agent.newOrder();
  await takeStep(corridor.db, 'cancelUnclaimed', id, { trigger: 'cancel', by: 'admin' });
}

/** The real Temporal, except that it refuses every call about one order. */
function refusing(refused: number): OrderGateway {
  const gateway = corridor.shared.gateway;
  const unless = <Call extends (...given: never[]) => Promise<unknown>>(
    idOf: (...given: Parameters<Call>) => number,
    call: Call,
  ) =>
    (async (...given: Parameters<Call>) => {
      if (idOf(...given) === refused) throw new Error('Temporal refuses this order');
      return call(...given);
    }) as unknown as Call;
  return {
    ...gateway,
    start: unless(({ orderId }) => orderId, gateway.start),
    restart: unless(({ orderId }) => orderId, gateway.restart),
    refresh: unless((orderId) => orderId, gateway.refresh),
    hasFailedTask: unless((orderId) => orderId, gateway.hasFailedTask),
    resend: unless((orderId) => orderId, gateway.resend),
    offer: unless((orderId) => orderId, gateway.offer),
  };
}

/** What the jobs of one process need, with the metrics of that process alone. */
function meteredUpkeep(gateway: OrderGateway) {
  const registry = new Registry();
  const metric = async (name: string): Promise<Record<string, number>> => {
    const family = readExposition(await registry.metrics()).get(`corridor_upkeep_${name}`);
    return Object.fromEntries(family?.samples.map(({ labels, value }) => [labels.upkeep_job, value]) ?? []);
  };
  const metrics = createUpkeepMetrics(registry);
  const deps: RunnerDeps = {
    ...{ ...corridor.shared, gateway, chains: new Map(), metrics },
    receipts: { remove: async () => undefined },
    settings: corridor.config,
    sealing: corridor.shared.secrets,
  };
  return { metric, ...deps };
}

test('a namespace that somebody else manages, and that is gone, is not created', async () => {
  const [address, namespace] = [testEnvironment().temporalAddress, `gone-${randomBytes(4).toString('hex')}`];
  const { log } = corridor.shared;
  const gateway = createOrderGateway({ address, namespace, log, managesNamespace: false });
  const { metric, ...deps } = meteredUpkeep(gateway);
  const runner = createJobRunner(deps);
  runner.startJobs();
  await runner.ended();
  expect((await metric('failures_total')).startMissingWorkflows).toBe(1);
  await expect(connection.workflowService.describeNamespace({ namespace })).rejects.toMatchObject({
    code: 5,
  });
  await gateway.close();
});

interface Installation {
  refused: number;
  /** The jobs that fail for the refused order. */
  failing: string[];
  /** Whether the same job was done for another order. */
  otherOrder: () => Promise<boolean>;
}

const switchOn = (lp: TestLp) =>
  expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
const offeredAt = async (lp: TestLp) =>
  (await corridor.sql('select offered_at from lp_auto_claim where lp_id = $1', [lp.id]))[0]?.offered_at;

const CASES: [string, () => Promise<Installation>][] = [
  [
    'a missing workflow',
    async () => {
      const [refused, other] = [await withoutWorkflow(), await withoutWorkflow()];
      return { refused, failing: ['startMissingWorkflows'], otherOrder: () => isRunning(other) };
    },
  ],
  [
    'a lagging workflow',
    async () => {
      const [refused, other] = [await lagging(), await lagging()];
      const otherOrder = async () => (await signalsOf(other, 'refresh')) > 0;
      return { refused, failing: ['repairStuckWorkflows'], otherOrder };
    },
  ],
  [
    'a reopened webhook',
    async () => {
      const ids = [await agent.newOrder(), await agent.newOrder()];
      for (const id of ids) await eventually(() => isRunning(id));
      await corridor.sql(
        `insert into webhook_delivery (order_id, seq, attempts, attempts_before) select id, 1, 1, 1 from unnest($1::bigint[]) id`,
        [ids],
      );
      const [refused = 0, other = 0] = ids;
      const otherOrder = async () => (await signalsOf(other, 'redeliver')) > 0;
      return { refused, failing: ['resendUntriedWebhooks'], otherOrder };
    },
  ],
  [
    'an order to offer again',
    async () => {
      const refused = await agent.newOrder();
      await corridor.sql('delete from lp_auto_claim');
      await switchOn(lps.kes);
      await switchOn(lps.ugx);
      await corridor.sql(`update lp_auto_claim set offers_due_at = now() - interval '1 minute'`);
      const otherOrder = async () => (await offeredAt(lps.ugx)) != null;
      return { refused, failing: ['repeatAutoClaimOffers'], otherOrder };
    },
  ],
];

test.each(CASES)('%s that Temporal refuses delays no other job and no other order', async (_, setUp) => {
  const { refused, failing, otherOrder } = await setUp();
  const { metric, ...deps } = meteredUpkeep(refusing(refused));
  const runner = createJobRunner(deps);
  const round = () => {
    runner.startJobs();
    return runner.ended();
  };
  const jobs = Object.keys(await metric('runs_total'));
  expect(jobs).toEqual(
    expect.arrayContaining(['refreshLpStatistics', 'countOrderTotals', 'pruneRateWindows']),
  );
  const totals = async () => (await corridor.sql('select cancelled from order_totals'))[0].cancelled;
  const statisticsPlace = async () => (await corridor.sql('select order_id, seq from feed_cursor')).at(0);
  const before = { totals: await totals(), place: await statisticsPlace() };
  await cancelled();
  await corridor.sql(
    `insert into rate_window (key, hits, updated_at) values ('old', '{}', now() - interval '2 hours') on conflict do nothing`,
  );

  // Temporal's lists lag, and a suspicion needs two rounds: the order is refused in each of them.
  let rounds = 0;
  await eventually(async () => {
    await round();
    rounds++;
    const failures = await metric('failures_total');
    return failing.every((job) => (failures[job] ?? 0) > 0) && (await otherOrder());
  });
  const failures = await metric('failures_total');
  expect(jobs.filter((job) => (failures[job] ?? 0) > 0)).toEqual(failing);
  const runs = await metric('runs_total');
  const inTurn = jobs.filter((job) => job.startsWith('prune'));
  const each = jobs.filter((job) => !inTurn.includes(job));
  for (const job of each) expect([job, runs[job]]).toEqual([job, rounds]);
  expect(inTurn.reduce((sum, job) => sum + (runs[job] ?? 0), 0)).toBe(rounds);
  // Until each of them has had its turn.
  while (rounds++ < inTurn.length) await round();
  const succeeded = await metric('last_success_timestamp_seconds');
  const quiet = jobs.filter((job) => !failing.includes(job));
  for (const job of quiet) expect([job, (succeeded[job] ?? 0) > 0]).toEqual([job, true]);

  // The effects of the other jobs are visible in the database.
  await eventually(async () => {
    await round();
    return (await totals()) > before.totals;
  });
  expect(await statisticsPlace()).not.toEqual(before.place);
  expect(await corridor.sql(`select from rate_window where key = 'old'`)).toEqual([]);
  if (failing.includes('startMissingWorkflows')) expect(await isRunning(refused)).toBe(false);
  await workflowOf(refused)
    .terminate('by the test')
    .catch(() => undefined);
  await corridor.sql('delete from webhook_delivery');
  await corridor.sql(`update orders set status = 'cancelled', timeout_at = null, cancelled_at = now()`);
});

test('a job that hangs for ever is reported, runs nowhere else, and holds up no other job', async () => {
  const id = await agent.newOrder();
  await eventually(() => isRunning(id));
  await corridor.sql(
    'insert into webhook_delivery (order_id, seq, attempts, attempts_before) values ($1, 1, 1, 1)',
    [id],
  );
  const { gateway } = corridor.shared;
  let hanging = 0;
  const resend = () => {
    hanging++;
    return new Promise<never>(() => undefined);
  };
  const warnings: { msg: string; upkeepJob?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
  const { metric, ...deps } = meteredUpkeep({ ...gateway, resend });
  const other = meteredUpkeep(gateway);
  const hangs = 'resendUntriedWebhooks';
  const reconcilers = [createReconciler({ ...deps, log, overdueAfterMs: 200 })];
  try {
    await eventually(async () => hanging === 1);
    reconcilers.push(createReconciler(other));
    const before = await metric('runs_total');
    await eventually(async () => {
      const now = await metric('runs_total');
      return Object.keys(now).every((job) => job === hangs || (now[job] ?? 0) >= (before[job] ?? 0) + 3);
    });
    expect((await metric('runs_total'))[hangs]).toBe(before[hangs]);
    expect(hanging).toBe(1);
    await eventually(async () =>
      warnings.some(
        ({ upkeepJob, msg }) => upkeepJob === hangs && msg.startsWith('an upkeep job is overdue'),
      ),
    );
    expect(Object.values(await other.metric('runs_total')).every((runs) => runs === 0)).toBe(true);

    // A process that stops does not wait for the job, and another process takes its place.
    await reconcilers.shift()?.close();
    await eventually(async () => (await signalsOf(id, 'redeliver')) > 0);
  } finally {
    for (const reconciler of reconcilers) await reconciler.close();
  }
});
