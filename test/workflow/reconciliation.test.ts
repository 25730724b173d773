import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { ReconciliationReport } from '../../src/api/resources/reconciliation/schemas.ts';
import type { DriftKind } from '../../src/domain/workflow-drift.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { adminCli } from '../support/admin-cli.ts';
import { startCorridor } from '../support/corridor.ts';
import { editEvents } from '../support/edit-events.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { takeStep } from '../support/take-step.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

const [host = '', port = ''] = testEnvironment().temporalAddress.split(':');
/** Each kind of drift between rows, workflows and ledger: produced, reported, and repaired if possible. */
const temporalProxy = await startTcpProxy(host, Number(port));
const corridor = await startCorridor({ temporalAddress: `${temporalProxy.host}:${temporalProxy.port}` });
const client = await connectToTemporal(corridor);
const { workflow } = client;
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
  await temporalProxy.close();
});

const TIMEOUT_MS = 120_000;
const sql = (text: string, values: unknown[] = []) => corridor.db.pool.query(text, values);
const report = (): Promise<ReconciliationReport> =>
  expectStatus(200, corridor.admin('GET', '/api/admin/reconciliation'));
/** The findings: the kind, the order, and whether the reconciler repairs it. */
const findingsOf = ({ drift }: ReconciliationReport) =>
  drift.flatMap(({ kind, count, healing, first }) => {
    expect(count).toBe(first.length);
    return first.map(({ order_id }) => [kind, order_id, healing]);
  });
const terminate = (id: number) => workflow.getHandle(orderWorkflowId(id)).terminate('by the test');
const reconcile = (options = '') => adminCli(corridor).admin(`reconcile ${options}`);
/** The value of a metric of `GET /metrics`. */
const metric = async (series: string): Promise<number | undefined> => {
  const text = String(await expectStatus(200, corridor.admin('GET', '/metrics')));
  const line = text.split('\n').find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};
const workflowOfNoOrder = 999_999;

test('without drift the report is empty and the command exits with 0', async () => {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  await eventually(async () => (await report()).reconciler.at_work, TIMEOUT_MS);
  const sound = await report();
  expect(findingsOf(sound)).toEqual([]);
  expect(sound).toMatchObject({
    needs_attention: false,
    temporal: true,
    reconciler: { at_work: true, last_run_at: expect.any(String) },
  });
  const { exit, stdout, stderr } = await reconcile();
  expect([exit, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^order without workflow +0 +yes$/m);
  expect(stdout).toMatch(/\nThe reserves are not compared: .*\n/);
  expect(stdout).toMatch(/\nAll agree\.\n$/);
});

test('each kind of drift is reported, and repaired if possible', async () => {
  const withWebhooks = { callback_url: corridor.receiver.url };
  const [lost, owing, behind, unaware, ahead] = [
    await agent.newOrder(),
    await agent.newOrder(withWebhooks),
    await agent.newOrder(),
    await agent.newOrder(),
    await agent.newOrder(),
  ];
  await expectStatus(200, agent.cancel(owing));
  await corridor.receiver.next(({ body }) => body.order_id === owing);
  await eventuallyEquals(
    async () => (await workflow.getHandle(orderWorkflowId(owing)).describe()).status.name,
    'COMPLETED',
  );
  await expectStatus(200, lp.claim(ahead));
  await corridor.stopWorker();

  await terminate(lost);
  await sql(`update webhook_delivery set state = 'pending', finished_at = null where order_id = $1`, [owing]);
  // Steps that Temporal's store has lost.
  const until = '2036-01-01T00:00:00.000Z';
  await takeStep(corridor.db, 'extendDeadline', behind, { trigger: 'extend', until });
  await takeStep(corridor.db, 'cancelUnclaimed', unaware, { trigger: 'cancel', by: 'admin' });
  // As if the database had been restored from a backup that is older than Temporal's state.
  await sql('update orders set version = 1 where id = $1', [ahead]);
  await corridor.shared.gateway.start(
    {
      orderId: workflowOfNoOrder,
      state: {
        ...{ version: 4, status: 'disputed', lpId: null, excludedLpIds: [], txHash: null },
        ...{
          rejectedTxHashes: [],
          reoffers: 0,
          rejections: 0,
          replacements: 0,
          timeoutAt: null,
          frozenMs: null,
          slashedUsd: null,
        },
      },
      webhooks: [],
      autoClaims: false,
    },
    { currency: 'KES', amount_fiat: '1' },
  );
  await sql('update lp_collateral set available = available + 1 where lp_id = $1', [lp.id]);

  // An order that has just moved is not reported: Temporal's lists lag.
  expect(findingsOf(await report()).filter(([, id]) => id === behind)).toEqual([]);
  const ours = [lost, owing, behind, unaware, ahead];
  await sql(`update orders set created_at = created_at - interval '1 minute' where id = any ($1)`, [ours]);
  await editEvents(
    corridor.db.pool,
    `update order_event set created_at = created_at - interval '1 minute' where order_id = any ($1)`,
    [ours],
  );
  const wanted: [DriftKind, number | null, boolean][] = [
    ['order_without_workflow', lost, true],
    ['webhook_without_workflow', owing, true],
    ['workflow_behind', behind, true],
    ['workflow_behind', unaware, true],
    ['workflow_ahead', ahead, false],
    ['order_missing', workflowOfNoOrder, false],
  ];
  const sorted = (rows: unknown[]) => rows.map(String).sort();
  const ofOrders = async () => findingsOf(await report()).filter(([kind]) => kind !== 'ledger');
  await sql(`update reconciler_progress set last_run_at = now() - interval '30 seconds'`);
  await eventuallyEquals(
    async () => sorted(await ofOrders()).join('; '),
    sorted(wanted).join('; '),
    TIMEOUT_MS,
  );
  const { drift, needs_attention } = await report();
  expect(needs_attention).toBe(true);
  const words = Object.fromEntries(
    drift.flatMap(({ first }) =>
      first.map(({ where, expected, found }) => [where, `${expected} / ${found}`]),
    ),
  );
  expect(words).toMatchObject({
    [`order ${lost}`]: 'matched, version 1 / no workflow',
    [`order ${owing}`]: 'cancelled, version 2, owes 1 webhooks / no workflow',
    [`order ${behind}`]: 'matched, version 2 / matched, version 1',
    [`order ${unaware}`]: 'cancelled, version 2 / matched, version 1',
    [`order ${ahead}`]: 'claimed, version 1 / claimed, version 2',
    [`order ${workflowOfNoOrder}`]: 'no such order / disputed, version 4',
    [`balances are the sums of their transfers: account lp:${lp.id}:available`]: expect.any(String),
  });

  await eventuallyEquals(() => metric('corridor_drift{kind="workflow_behind"}'), 2);
  expect(await metric('corridor_drift{kind="order_missing"}')).toBe(1);
  expect(await metric('corridor_drift{kind="ledger"}')).toBeGreaterThan(0);
  expect(await metric('corridor_orders{status="cancelled"}')).toBe(2);
  expect(await metric('corridor_orders{status="completed"}')).toBe(0);
  const startedBefore = (await metric('corridor_reconciler_started_workflows_total')) ?? Number.NaN;
  const ranBefore = (await metric('corridor_reconciler_last_run_timestamp_seconds')) ?? Number.NaN;
  expect(ranBefore).toBeGreaterThan(Date.now() / 1_000 - 3_600);

  const failed = await reconcile();
  expect([failed.exit, failed.stderr]).toEqual([1, '']);
  expect(failed.stdout).toMatch(/^workflow behind +2 +yes$/m);
  expect(failed.stdout).toMatch(/^ledger +\d+ +no$/m);
  expect(failed.stdout).toContain(
    `order without workflow: order ${lost}: expected matched, version 1, found no workflow`,
  );

  // The reconciler repairs what it can. The test repairs the rest, as an operator would.
  await corridor.startWorker();
  const left: typeof wanted = [
    ['commits_lost', ahead, false],
    ['order_missing', workflowOfNoOrder, false],
  ];
  await eventuallyEquals(
    async () => sorted(await ofOrders()).join('; '),
    sorted(left).join('; '),
    TIMEOUT_MS,
  );
  await eventually(
    async () => corridor.receiver.received.filter(({ body }) => body.order_id === owing).length === 2,
    TIMEOUT_MS,
  );
  expect((await report()).needs_attention).toBe(true);
  await terminate(workflowOfNoOrder);
  await expectStatus(200, corridor.adminDoes('unfreeze', ahead));
  await sql('update lp_collateral set available = available - 1 where lp_id = $1', [lp.id]);
  await eventuallyEquals(async () => findingsOf(await report()).length, 0, TIMEOUT_MS);
  expect((await reconcile('--json')).exit).toBe(0);

  await eventuallyEquals(() => metric('corridor_drift{kind="workflow_behind"}'), 0, TIMEOUT_MS);
  expect(await metric('corridor_reconciler_started_workflows_total')).toBeGreaterThanOrEqual(
    startedBefore + 2,
  );
  expect(await metric('corridor_reconciler_last_run_timestamp_seconds')).toBeGreaterThan(ranBefore);
});

test('drift that the reconciler would repair needs an operator while the reconciler does not run', async () => {
  await corridor.stopWorker();
  const id = await agent.newOrder();
  await terminate(id);
  await sql(`update orders set created_at = now() - interval '1 minute' where id = $1`, [id]);
  await editEvents(
    corridor.db.pool,
    `update order_event set created_at = now() - interval '1 minute' where order_id = $1`,
    [id],
  );
  await sql(`update reconciler_progress set last_run_at = now() - interval '2 minutes'`);
  await eventuallyEquals(
    async () => findingsOf(await report()).join(),
    ['order_without_workflow', id, false].join(),
    TIMEOUT_MS,
  );
  expect((await report()).needs_attention).toBe(true);
  const { exit, stdout } = await reconcile();
  expect(exit).toBe(1);
  expect(stdout).toMatch(/The reconciler is not at work; last run \(UTC\): \d{4}-\d\d-\d\d \d\d:\d\d\.\n$/);
  await corridor.startWorker();
  await eventuallyEquals(async () => findingsOf(await report()).length, 0, TIMEOUT_MS);
});

test('while Temporal is unavailable, the ledger is still checked, and the rest is reported as unknown', async () => {
  temporalProxy.cut();
  try {
    const unknown = await eventually(async () => {
      const seen = await report();
      return seen.temporal ? undefined : seen;
    });
    expect(unknown.needs_attention).toBe(true);
    const elsewhere = ['ledger', 'reserve_shortfall'];
    for (const { kind, count } of unknown.drift)
      expect([kind, count]).toEqual([kind, elsewhere.includes(kind) ? 0 : null]);
    await eventuallyEquals(
      () => metric('corridor_drift{kind="order_without_workflow"}'),
      undefined,
      TIMEOUT_MS,
    );
    expect(await metric('corridor_drift{kind="ledger"}')).toBe(0);
    const { exit, stdout } = await reconcile();
    expect(exit).toBe(1);
    expect(stdout).toContain('Temporal does not answer');
  } finally {
    temporalProxy.restore();
  }
  await eventually(async () => (await report()).temporal, TIMEOUT_MS);
});

test('metrics are for admins, and in the text format of Prometheus', async () => {
  const { status, headers } = await corridor.admin('GET', '/metrics');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect((await agent.call('GET', '/metrics')).status).toBe(403);
});
