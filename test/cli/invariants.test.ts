import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { runCheck } from '../../src/cli/run-check.ts';
import { freePort } from '../../src/process/free-port.ts';
import { startCorridor } from '../support/corridor.ts';
import { copyOf } from '../support/database.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { onTerminal } from '../support/terminal.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** `npm run check:invariants` on a running Corridor and on one with missing data. */
const corridor = await useCorridor();
const { databaseUrl } = corridor;
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 100 });
const completed = await agent.confirmedOrder(lp, { callback_url: corridor.receiver.url });
await expectStatus(200, agent.settle(completed, await corridor.payment(agent, completed)));
await eventuallyEquals(() => agent.statusOf(completed), 'completed');
const claimed = await agent.newOrder();
await expectStatus(200, lp.claim(claimed));

/** Where no Corridor runs. */
const NO_FOLDER = '/nowhere/corridor';
const check = (...args: string[]) => checkWith({}, ...args);
const checkWith = (env: Record<string, string>, ...args: string[]) =>
  onTerminal((terminal) => runCheck(args, { DATA_DIR: NO_FOLDER, ...env }, terminal));
const inTemporal = (namespace = corridor.config.temporalNamespace) => [
  ...['--temporal-address', testEnvironment().temporalAddress],
  ...['--namespace', namespace],
];

test('The check of a sound running Corridor exits with 0 and lists the checks', async () => {
  expect(await check('--database-url', databaseUrl, ...inTemporal())).toEqual({
    ...{ exit: 0, stdout: 'Everything holds.\n', stderr: '' },
  });
  expect(await check('--database-url', databaseUrl)).toEqual({
    ...{ exit: 0, stderr: '' },
    stdout: 'Everything holds; the workflows were not checked: name a Temporal by --temporal-address.\n',
  });
});

test('The check without options covers what the settings name', async () => {
  const settings = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: corridor.config.temporalNamespace,
  };
  expect(await checkWith(settings)).toEqual({ exit: 0, stdout: 'Everything holds.\n', stderr: '' });
  // The database may be another one than that of the settings, so their Temporal would show false findings.
  expect(await checkWith(settings, '--database-url', databaseUrl)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('the workflows were not checked'),
  });
});

test('A profile of Temporal’s configuration names the address and the namespace too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-test-'));
  const file = join(folder, 'temporal.toml');
  await writeFile(
    file,
    `[profile.own]\naddress = "${testEnvironment().temporalAddress}"\nnamespace = "${corridor.config.temporalNamespace}"\n`,
  );
  const settings = { DATABASE_URL: databaseUrl, TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'own' };
  const checked = await checkWith(settings);
  await rm(folder, { recursive: true });
  expect(checked).toEqual({ exit: 0, stdout: 'Everything holds.\n', stderr: '' });
});

test('The check names each breach on a line and exits with 1, even if the database alone is sound', async () => {
  const wrong = `update orders set amount_usd = amount_usd + 1 where id = ${claimed}`;
  const right = `update orders set amount_usd = amount_usd - 1 where id = ${claimed}`;
  await corridor.db.pool.query(wrong);
  try {
    const { exit, stdout } = await check('--database-url', databaseUrl);
    expect(exit).toBe(1);
    expect(stdout.trimEnd().split('\n')).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^a row holds what its last event kept of it: order ${claimed}, amount_usd: expected 10[.0]*, found 11[.0]*$`,
        ),
      ),
    );
    expect(stdout).not.toContain('Everything holds');
  } finally {
    await corridor.db.pool.query(right);
  }
});

test('An order without a workflow is a breach when Temporal is checked', async () => {
  const other = await startCorridor({ worker: false });
  try {
    // The check skips orders that moved in the last ten seconds.
    const { stdout } = await eventually(async () => {
      const there = inTemporal(other.config.temporalNamespace);
      const seen = await check('--database-url', databaseUrl, ...there);
      return seen.exit === 1 && seen;
    });
    expect(stdout).toMatch(
      new RegExp(`^rows and workflows agree \\(.*\\): order ${claimed}: .*, found no workflow$`, 'm'),
    );
  } finally {
    await other.stop();
  }
});

test('A check that is impossible exits with 2 and prints the reason, without the password', async () => {
  const nowhere = `127.0.0.1:${await freePort()}`;
  expect(await check('--database-url', `postgres://me:secret@${nowhere}/x`)).toEqual({
    ...{ exit: 2, stdout: '', stderr: `PostgreSQL at ${nowhere} cannot be used (ECONNREFUSED).\n` },
  });
  const env = { DATABASE_URL: databaseUrl, DATABASE_READER_URL: `postgres://me:secret@${nowhere}/x` };
  expect(await checkWith(env)).toEqual({
    ...{ exit: 2, stdout: '' },
    stderr: `PostgreSQL of DATABASE_READER_URL at ${nowhere} cannot be used (ECONNREFUSED).\n`,
  });
  const empty = await copyOf('template1');
  expect(await check('--database-url', empty)).toEqual({
    ...{ exit: 2, stdout: '', stderr: 'The database is not up to date. Run "migrate" first.\n' },
  });
  const { exit, stdout, stderr } = await check('--database-url', databaseUrl, '--temporal-address', nowhere);
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Temporal does not list the workflows that run');
});

test.each([
  ['no database', [], /^No database runs in DATA_DIR \(\/nowhere\/corridor\)\. Start one with/],
  ['an invalid address', ['--database-url', 'the one'], /^Give the database as postgres:/],
  ['an unknown option', ['--databse-url', 'x'], /^Unknown option '--databse-url'[\s\S]*usage: /],
])('The check refuses %s with exit code 2 and a message', async (_, args, said) => {
  const { exit, stdout, stderr } = await check(...args);
  expect([exit, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
  expect(stderr).not.toContain('    at ');
});
