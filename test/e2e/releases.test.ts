import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { expectStatus } from '../../demo/http.ts';
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
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../support/corridor.ts';
import { freshDatabase } from '../support/database.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { type HangingReceiver, startHangingReceiver } from '../support/hanging-receiver.ts';
import { run, type TestProcess } from '../support/processes.ts';

/**
 * A release, as an operator makes one: workers of the old one are at work, those of the new one start beside them, all
 * orders are handed over, the old ones are stopped. The new one is a tree of its own, with a change in the workflow that
 * histories of the old one do not have.
 */
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
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

/** A copy of this project whose workflow waits a moment before each step, and does so for no step that an older one made. */
async function nextRelease(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-release-'));
  for (const name of ['src', 'workflows', 'activities', 'package.json', 'package-lock.json'])
    await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'workflows', 'order.ts');
  const before = await readFile(file, 'utf8');
  const after = before
    .replace('  setHandler,\n', '  patched,\n  setHandler,\n  sleep,\n')
    .replace(
      '      const { result, ...report } = await steps[step]',
      `      if (patched('next')) await sleep(1, { summary: 'a moment' });\n$&`,
    );
  expect(after.match(/patched/g)).toHaveLength(2);
  await writeFile(file, after);
  return folder;
}

const settings = () => ({
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
  TEMPORAL_NAMESPACE: corridor.config.temporalNamespace,
});
const startWorker = (folder: string, release: Record<string, string>) => {
  const worker = run(join(folder, 'src/main.ts'), ['worker'], {
    ...{ ...settings(), ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET, STRIKE_COOL_DOWN: '0s', LOG_LEVEL: 'warn' },
    ...release,
  });
  workers.push(worker);
  return worker;
};
const admin = async (...args: string[]) => {
  const process = run('src/admin-cli/main.ts', args, settings());
  const exit = await process.ended;
  return { exit, stdout: process.stdout(), stderr: process.stderr() };
};
const releases = async () => {
  const { stdout } = await admin('release', 'list', '--json');
  return JSON.parse(stdout) as {
    release: string | null;
    current: boolean;
    workers: number;
    orders: number;
  }[];
};
const historyOf = async (id: number) => {
  const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
  return (await workflow.getHandle(`order-${id}`).fetchHistory()).events ?? [];
};
/** The releases that an order's workflow tasks were done by, in their order, each once. */
const releasesOf = async (id: number): Promise<string> => {
  const done = (await historyOf(id)).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
    task ? [task.deploymentVersion?.buildId ?? 'none'] : [],
  );
  return done.filter((release, i) => release !== done[i - 1]).join();
};
/** Markers of a change that the history goes on with. */
const changesIn = async (id: number) =>
  (await historyOf(id)).filter(
    ({ markerRecordedEventAttributes: marker }) => marker?.markerName === 'core_patch',
  );

const inFlight: Record<string, number> = {};

test('the first release is the current one by itself, and orders begin on it', async () => {
  await startWorker(PROJECT, { WORKER_RELEASE: 'one' }).says('is running');
  const open = await newOrder(agent);
  await eventuallyEquals(async () => (await claim(lp, open)).status, 200);
  expect(await releases()).toEqual([
    { release: 'one', current: true, workers: 1, orders: 1, currentSince: expect.any(String) },
  ]);
  inFlight.claimed = open;
  inFlight.matched = await newOrder(agent);
  inFlight.fiatSent = await newOrder(agent);
  await expectStatus(200, claim(lp, inFlight.fiatSent));
  await expectStatus(200, fiatSent(lp, inFlight.fiatSent));
  inFlight.confirmed = await confirmedOrder(agent, lp);
  inFlight.verifying = await confirmedOrder(agent, lp);
  const later = await transaction(corridor.anyone, lp.address, 10.05, { final_after_ms: 3_600_000 });
  await expectStatus(200, settle(agent, inFlight.verifying, later));
  inFlight.disputed = await newOrder(agent);
  await expectStatus(200, claim(lp, inFlight.disputed));
  await expectStatus(200, dispute(agent, inFlight.disputed));
  for (const id of Object.values(inFlight)) await eventuallyEquals(() => releasesOf(id), 'one');
});

test('a worker of the next release is given nothing until it is promoted', async () => {
  await startWorker(tree, { WORKER_RELEASE: 'two' }).says('is running');
  await eventually(async () =>
    (await releases()).some(({ release, workers }) => release === 'two' && workers === 1),
  );
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  expect(await releasesOf(id)).toBe('one');
  inFlight.late = id;
});

test('a release that no worker is of is not promoted, and a worker without one does not start', async () => {
  const none = await admin('release', 'promote', 'three', '--wait', '1s');
  expect([none.exit, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toBe(
    'corridor: No worker of release three asks for work. Start one with WORKER_RELEASE=three; nothing has been changed.\n',
  );
  const nameless = startWorker(PROJECT, {});
  expect(await nameless.ended).toBe(1);
  expect(nameless.stderr()).toContain(
    'Orders go on with workers of release one. Set WORKER_RELEASE, or end that by "npm run admin -- release off".',
  );
});

test('once promoted, it takes all orders over, and the old workers can be stopped at once', async () => {
  // Its webhook is in the hands of the old worker when that is stopped.
  const owing = await newOrder(agent, { callback_url: receiver.url });
  await expectStatus(200, claim(lp, owing));
  await eventually(async () => receiver.waiting() > 0);
  const promoted = await admin('release', 'promote', 'two');
  expect(promoted).toEqual({ exit: 0, stdout: 'Orders go on with two; before, with one.\n', stderr: '' });
  workers[0]?.kill('SIGTERM');
  expect(await workers[0]?.ended).toBe(0);
  receiver.goOn();

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
  await expectStatus(200, claim(lp, matched));
  for (const id of [matched, claimed, late]) await expectStatus(200, fiatSent(lp, id));
  for (const id of [matched, claimed, late, sent]) await expectStatus(200, confirm(agent, id));
  for (const id of [matched, claimed, late, sent, confirmed]) {
    const hash = await transaction(corridor.anyone, lp.address, 10.05);
    await expectStatus(200, settle(agent, id, hash));
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  }
  await corridor.db.pool.query('update sandbox_transaction set final_at = now()');
  await eventuallyEquals(() => statusOf(agent, verifying), 'completed');
  await expectStatus(200, adminDoes(corridor.admin, 'resolve', disputed, { outcome: 'cancelled' }));
  const state = 'select state from webhook_delivery where order_id = $1';
  await eventuallyEquals(
    async () => (await corridor.db.pool.query<{ state: string }>(state, [owing])).rows[0]?.state,
    'delivered',
  );

  // A step is answered when it is committed, a moment before its task is done.
  for (const id of Object.values({ ...inFlight, owing }))
    await eventuallyEquals(() => releasesOf(id), 'one,two');
  // What it does anew it does from its own tasks on.
  expect(await changesIn(claimed)).toHaveLength(1);
});

test('orders that begin now begin on it', async () => {
  const id = await confirmedOrder(agent, lp);
  const hash = await transaction(corridor.anyone, lp.address, 10.05);
  await expectStatus(200, settle(agent, id, hash));
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  expect(await releasesOf(id)).toBe('two');
  const { stdout } = await admin('why', String(id));
  expect(stdout).toMatch(/^ {2}current release +two$/m);
});

test('the old release drains: no order is left with it, and everything holds', async () => {
  await eventually(async () =>
    (await releases()).every(({ release, orders }) => release !== 'one' || orders === 0),
  );
  const check = run(
    'src/invariants/main.ts',
    [
      ...['--database-url', databaseUrl, '--temporal-address', testEnvironment().temporalAddress],
      ...['--namespace', corridor.config.temporalNamespace],
    ],
    {},
  );
  expect([await check.ended, check.stdout()]).toEqual([0, 'Everything holds.\n']);
});

test('who wants no releases any more turns them off, and starts workers that name none', async () => {
  const id = await newOrder(agent);
  await eventuallyEquals(() => releasesOf(id), 'two');
  const off = await admin('release', 'off');
  expect([off.exit, off.stdout]).toEqual([
    0,
    'Orders go on with workers that name no release; before, with two.\n',
  ]);
  workers[1]?.kill('SIGTERM');
  expect(await workers[1]?.ended).toBe(0);
  await startWorker(PROJECT, {}).says('is running');
  await eventuallyEquals(async () => (await claim(lp, id)).status, 200);
  await eventuallyEquals(() => releasesOf(id), 'two,none');
  expect((await releases())[0]).toMatchObject({ release: null, current: true, workers: 1 });
});
