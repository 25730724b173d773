import { expect, test } from '@jest/globals';
import { adminCli } from '../support/admin-cli.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Bulk runs in the terminal. */
const corridor = await useCorridor();
const { admin, shown, json, refused } = adminCli(corridor);
await corridor.newLp();

test('A dry run is started once a person agrees, shows its progress, and ends with a report', async () => {
  const agent = await corridor.newAgent();
  const ids = [await agent.newOrder(), await agent.newOrder()] as const;
  const request = `bulk cancel --where agent=${agent.keyId} --reason "the network is down"`;
  expect(await refused(request)).toContain('Add --dry-run');

  const dry = await shown(`${request} --dry-run`);
  expect(dry).toContain('cancel would get to 2 orders; nothing was changed.');
  expect(dry).toContain(`Orders: ${ids.join(', ')}`);
  const id = /bulk start (\d+)/.exec(dry)?.[1];

  expect(await refused(`bulk start ${id}`)).toContain('add --yes');
  expect(await admin(`bulk start ${id}`, undefined, 'n')).toMatchObject({
    ...{ exit: 1, stdout: '', stderr: `corridor: Nothing was changed. The dry run ${id} is still there.\n` },
  });
  expect((await corridor.rowOf(ids[0])).status).toBe('matched');

  const done = await admin(`bulk start ${id} --yes`);
  expect([done.exit, done.stdout]).toEqual([0, expect.stringMatching(/^state +finished$/m)]);
  expect(done.stdout).toMatch(/^applied +– +2$/m);
  expect(done.stderr).toMatch(/2 of 2\n$/);
  expect((await corridor.rowOf(ids[0])).status).toBe('cancelled');

  expect(await shown('bulk list')).toMatch(new RegExp(`^ *${id} +cancel +finished +2 of 2`, 'm'));
  expect(await json(`bulk show ${id}`)).toMatchObject({ treated: 2 });
  expect(await shown(`bulk stop ${id}`)).toMatch(/^state +finished$/m);
});

test('A filter that selects nothing says so', async () => {
  expect(await shown('bulk extend --where agent=999999 --by 2h --reason x --dry-run')).toBe(
    'No order matches "agent=999999", so there is nothing to start.\n',
  );
  expect(await refused('bulk freeze --where staus=claimed --reason x --dry-run')).toContain(
    'where: has no field "staus": did you mean status?',
  );
});
