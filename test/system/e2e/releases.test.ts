import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  confirm,
  confirmedOrder,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  payment,
  settle,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { wakesOrder } from '../../support/asleep.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { type HangingReceiver, startHangingReceiver } from '../../support/hanging-receiver.ts';
import { run, type TestProcess } from '../../support/processes.ts';

/**
 * A release as an operator makes it: workers of the new release start beside those of the old one, the operator makes
 * the new release current, and stops the old workers. The new release is a copy of the project with a change in the
 * workflow that histories of the old release do not have.
 */
const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
let corridor: TestCorridor;
let databaseUrl: string;
let tree: string;
let agent: Agent;
let lp: TestLp;
let connection: Connection;
const workers: TestProcess[] = [];
let receiver: HangingReceiver;

beforeAll(async () => {
  databaseUrl = await freshDatabase();
  corridor = await startCorridor({ databaseUrl, worker: false });
  receiver = await startHangingReceiver();
  connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  tree = await nextRelease();
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterAll(async () => {
  for (const worker of workers) {
    worker.kill('SIGKILL');
    await worker.ended;
  }
  receiver.close();
  await connection.close();
  await corridor.stop();
  await rm(tree, { recursive: true, force: true });
});

/** Copies this project with a workflow that waits a moment before each step, except before those that an older release made. */
async function nextRelease(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-release-'));
  for (const name of ['src', 'workflows', 'activities', 'package.json', 'package-lock.json'])
    await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'workflows', 'apply-command.ts');
  const before = await readFile(file, 'utf8');
  const after = before
    .replace('{ log, proxyLocalActivities }', '{ log, patched, proxyLocalActivities, sleep }')
    .replace(
      '    const { result, ...report } = await steps[step]',
      `    if (patched('next')) await sleep(1, { summary: 'a moment' });\n$&`,
    );
  expect(after.match(/patched/g)).toHaveLength(2);
  await writeFile(file, after);
  return folder;
}

const settings = () => ({
  ...databaseSettings(databaseUrl),
  TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
  TEMPORAL_NAMESPACE: corridor.config.temporalNamespace,
});
const startWorker = (folder: string, release: Record<string, string>) => {
  const worker = run(join(folder, 'src/main.ts'), ['worker'], {
    ...{ ...settings(), ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET, LOG_LEVEL: 'warn' },
    ...{ STRIKE_COOL_DOWN: '0s', DISPUTE_AFTER: '0s' },
    ...release,
  });
  workers.push(worker);
  return worker;
};
const admin = async (...args: string[]) => {
  const process = run('src/cli/main.ts', args, settings());
  const exit = await process.ended;
  return { exit, stdout: process.stdout(), stderr: process.stderr() };
};
/** `temporal worker deployment`, as in docs/releases.md. */
const deployment = async (command: string, ...args: string[]) => {
  const { temporalBinary, temporalAddress } = testEnvironment();
  const where = ['--address', temporalAddress, '--namespace', corridor.config.temporalNamespace];
  const process = spawn(
    temporalBinary,
    ['worker', 'deployment', command, '--deployment-name', 'corridor', ...args, ...where],
    { stdio: 'ignore' },
  );
  const [exit] = await once(process, 'exit');
  return exit as number | null;
};
const promote = (...release: string[]) => deployment('set-current-version', '--yes', ...release);
const current = () => corridor.shared.gateway.releases.current();
const workflows = () => new Client({ connection, namespace: corridor.config.temporalNamespace }).workflow;
/** The running orders whose last step a release carried out. */
const ordersOf = async (release: string) => {
  const query = `ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = 'corridor:${release}'`;
  return (await workflows().count(query)).count;
};
const historyOf = async (id: number) =>
  (await workflows().getHandle(`order-${id}`).fetchHistory()).events ?? [];
/** The releases that carried out an order's workflow tasks, in order and without repetition. */
const releasesOf = async (id: number): Promise<string> => {
  const done = (await historyOf(id)).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
    task ? [task.deploymentVersion?.buildId ?? 'none'] : [],
  );
  return done.filter((release, i) => release !== done[i - 1]).join();
};
/** The `patched` markers in the history. */
const changesIn = async (id: number) =>
  (await historyOf(id)).filter(
    ({ markerRecordedEventAttributes: marker }) => marker?.markerName === 'core_patch',
  );

const inFlight: Record<string, number> = {};
let asleep: number;
/** A new order whose workflow has had its first task. */
async function awakeOrder(): Promise<number> {
  const id = await newOrder(agent);
  await corridor.shared.gateway.offer(id, await wakesOrder(corridor.db, id));
  return id;
}

test('the first release becomes current without a command, and orders start on it', async () => {
  await startWorker(PROJECT, { WORKER_RELEASE: 'one' }).prints('is running');
  const open = await newOrder(agent);
  await eventuallyEquals(async () => (await claim(lp, open)).status, 200);
  expect(await current()).toBe('one');
  await eventuallyEquals(() => ordersOf('one'), 1);
  inFlight.claimed = open;
  inFlight.matched = await awakeOrder();
  asleep = await newOrder(agent);
  inFlight.fiatSent = await newOrder(agent);
  await expectStatus(200, claim(lp, inFlight.fiatSent));
  await expectStatus(200, fiatSent(lp, inFlight.fiatSent));
  inFlight.confirmed = await confirmedOrder(agent, lp);
  inFlight.verifying = await confirmedOrder(agent, lp);
  const later = await payment(corridor, agent, inFlight.verifying, { final_after_ms: 3_600_000 });
  await expectStatus(200, settle(agent, inFlight.verifying, later));
  inFlight.disputed = await newOrder(agent);
  await expectStatus(200, claim(lp, inFlight.disputed));
  await expectStatus(200, dispute(agent, inFlight.disputed));
  for (const id of Object.values(inFlight)) await eventuallyEquals(() => releasesOf(id), 'one');
});

test('a worker of the next release gets nothing until the release is current', async () => {
  await startWorker(tree, { WORKER_RELEASE: 'two' }).prints('is running');
  await eventuallyEquals(() => deployment('describe-version', '--build-id', 'two'), 0);
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  await eventuallyEquals(() => releasesOf(id), 'one');
  inFlight.late = id;
});

test('a release without a worker cannot become current, and a worker without a release does not start', async () => {
  expect(await promote('--build-id', 'three')).toBe(1);
  expect(await current()).toBe('one');
  const nameless = startWorker(PROJECT, {});
  expect(await nameless.ended).toBe(1);
  expect(nameless.stderr()).toContain(
    'Temporal gives all orders to workers of release one. Set WORKER_RELEASE, or end the use of releases first: docs/releases.md.',
  );
});

test('once current, it takes over all orders, and the old workers can stop immediately', async () => {
  // The old worker is sending its webhook when it is stopped.
  const owing = await newOrder(agent, { callback_url: receiver.url });
  await expectStatus(200, claim(lp, owing));
  await eventually(async () => receiver.waiting() > 0);
  // Temporal refuses until a worker of the release has polled all its task queues.
  await eventuallyEquals(() => promote('--build-id', 'two'), 0);
  expect(await current()).toBe('two');
  workers[0]?.kill('SIGTERM');
  expect(await workers[0]?.ended).toBe(0);
  receiver.resume();

  const {
    matched,
    claimed,
    late,
    fiatSent: sent,
    confirmed,
    verifying,
    disputed,
  } = inFlight as Record<
    'matched' | 'claimed' | 'late' | 'fiatSent' | 'confirmed' | 'verifying' | 'disputed',
    number
  >;
  for (const id of [matched, asleep]) await expectStatus(200, claim(lp, id));
  await eventuallyEquals(() => releasesOf(asleep), 'two');
  await expectStatus(200, fiatSent(lp, asleep));
  for (const id of [matched, claimed, late]) await expectStatus(200, fiatSent(lp, id));
  for (const id of [matched, claimed, late, sent]) await expectStatus(200, confirm(agent, id));
  for (const id of [matched, claimed, late, sent, confirmed]) {
    const hash = await payment(corridor, agent, id);
    await expectStatus(200, settle(agent, id, hash));
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  }
  await corridor.db.pool.query(`update sandbox_transaction set final_at = date_trunc('milliseconds', now())`);
  await eventuallyEquals(() => statusOf(agent, verifying), 'completed');
  await expectStatus(200, adminDoes(corridor.admin, 'resolve', disputed, { outcome: 'cancelled' }));
  const state = 'select state from webhook_delivery where order_id = $1';
  await eventuallyEquals(
    async () => (await corridor.db.pool.query<{ state: string }>(state, [owing])).rows[0]?.state,
    'delivered',
  );

  // The API answers when the step is committed, a moment before its workflow task completes.
  for (const id of Object.values({ ...inFlight, owing }))
    await eventuallyEquals(() => releasesOf(id), 'one,two');
  // The change applies from the first task of the new release.
  expect(await changesIn(claimed)).toHaveLength(1);
});

test('new orders start on it', async () => {
  const id = await confirmedOrder(agent, lp);
  const hash = await payment(corridor, agent, id);
  await expectStatus(200, settle(agent, id, hash));
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  await eventuallyEquals(() => releasesOf(id), 'two');
  const { stdout } = await admin('why', String(id));
  expect(stdout).toMatch(/^ {2}current release +two$/m);
});

test('no order is left with the old release, and the invariants hold', async () => {
  await eventuallyEquals(() => ordersOf('one'), 0);
  const check = run(
    'src/cli/check-invariants.ts',
    [
      ...['--database-url', databaseUrl, '--temporal-address', testEnvironment().temporalAddress],
      ...['--namespace', corridor.config.temporalNamespace],
    ],
    {},
  );
  expect([await check.ended, check.stdout()]).toEqual([0, 'Everything holds.\n']);
});

test('an operator can end the use of releases, and start workers without one', async () => {
  const id = await awakeOrder();
  await eventuallyEquals(() => releasesOf(id), 'two');
  expect(await promote('--unversioned')).toBe(0);
  workers[1]?.kill('SIGTERM');
  expect(await workers[1]?.ended).toBe(0);
  await startWorker(PROJECT, {}).prints('is running');
  await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
  await eventuallyEquals(() => releasesOf(id), 'two,none');
  expect(await current()).toBeNull();
});
