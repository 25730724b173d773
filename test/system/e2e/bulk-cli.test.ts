import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newAgent, newLp, newOrder, rowOf } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { run } from '../../support/processes.ts';

/** Bulk runs in the terminal. */
let corridor: TestCorridor;
beforeAll(async () => {
  corridor = await startCorridor();
  await newLp(corridor);
});
afterAll(() => corridor.stop());

async function admin(...args: string[]) {
  const env = { PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY };
  const process = run('src/cli/main.ts', ['bulk', ...args], env);
  return { exit: await process.ended, stdout: process.stdout(), stderr: process.stderr() };
}

test('a dry run, its start with the progress, and the report', async () => {
  const agent = await newAgent(corridor);
  const ids = [await newOrder(agent), await newOrder(agent)];
  const request = ['cancel', '--where', `agent=${agent.keyId}`, '--reason', 'the network is down'];
  const careless = await admin(...request);
  expect(careless).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringContaining('Add --dry-run') });

  const { stdout } = await admin(...request, '--dry-run');
  expect(stdout).toContain('cancel would get to 2 orders; nothing was changed.');
  expect(stdout).toContain(`Orders: ${ids.join(', ')}`);
  const id = /bulk start (\d+)/.exec(stdout)?.[1] as string;

  const unasked = await admin('start', id);
  expect(unasked).toMatchObject({ exit: 1, stderr: expect.stringContaining('add --yes') });
  expect((await rowOf(corridor.admin, ids[0] as number)).status).toBe('matched');

  const done = await admin('start', id, '--yes');
  expect([done.exit, done.stdout]).toEqual([0, expect.stringMatching(/^state +finished$/m)]);
  expect(done.stdout).toMatch(/^applied +– +2$/m);
  expect(done.stderr).toMatch(/2 of 2\n$/);
  expect((await rowOf(corridor.admin, ids[0] as number)).status).toBe('cancelled');

  expect((await admin('list')).stdout).toMatch(new RegExp(`^ *${id} +cancel +finished +2 of 2`, 'm'));
  expect(JSON.parse((await runJson('show', id)).stdout)).toMatchObject({ treated: 2 });
  expect((await admin('stop', id)).stdout).toMatch(/^state +finished$/m);
});

test('a filter that selects nothing says so', async () => {
  const { stdout } = await admin(
    'extend',
    '--where',
    'agent=999999',
    '--by',
    '2h',
    '--reason',
    'x',
    '--dry-run',
  );
  expect(stdout).toBe('No order matches "agent=999999", so there is nothing to start.\n');
  const misspelt = await admin('freeze', '--where', 'staus=claimed', '--reason', 'x', '--dry-run');
  expect(misspelt.stderr).toContain('where: has no field "staus": did you mean status?');
});

const runJson = (...args: string[]) => admin(...args, '--json');
