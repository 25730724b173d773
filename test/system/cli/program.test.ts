import { expect, test } from '@jest/globals';
import { newAgent, newLp } from '../../support/actors.ts';
import { apiSettings, serverSettings } from '../../support/admin-cli.ts';
import { run } from '../../support/processes.ts';
import { useCorridor } from '../../support/use-corridor.ts';

/** The admin CLI and the check of the invariants as programs: their settings, outputs, exit codes and what they load. */
const corridor = await useCorridor({ env: { APPROVALS: 'on' } });
const agent = await newAgent(corridor);
const lp = await newLp(corridor);

const CLI = 'src/cli/main.ts';
const CHECK = 'src/cli/check-invariants.ts';
const ended = async (program: string, line: string, env: Record<string, string>) => {
  const process = run(program, line.split(' ').filter(Boolean), env);
  return { exit: await process.ended, stdout: process.stdout(), stderr: process.stderr() };
};

test.each<[program: string, line: string, exit: number, stdout: RegExp, stderr: RegExp]>([
  [CLI, 'keys list', 0, /^id +name .*\n *\d+ +test /, /^$/],
  [CLI, 'keys --help', 0, /^Usage: npm run admin -- keys /, /^$/],
  [CLI, 'keys', 1, /^$/, /^Usage: npm run admin -- keys /],
  [CLI, 'keys burn', 1, /^$/, /^error: unknown command 'burn'\n$/],
  [CLI, 'keys revoke 999999', 1, /^$/, /^corridor: There is no agent key 999999: [^\n]*\n$/],
  [CLI, 'ledger payout 1 --reason x', 3, /^Proposed, and not carried out yet: /, /^$/],
  // The standard input of a script is no terminal.
  [CLI, `forget --user ${agent.userId}`, 1, /^$/, /^corridor: [^\n]* add --yes\.\n$/],
  [CLI, 'ledger check', 0, /\n\nThe ledger is sound\.\n$/, /^$/],
  [CHECK, '--help', 0, /^usage: npm run check:invariants -- /, /^$/],
  [CHECK, '', 0, /^Everything holds\.\n$/, /^$/],
  [
    CHECK,
    '--database-url postgres://127.0.0.1:1/x',
    2,
    /^$/,
    /^PostgreSQL at 127\.0\.0\.1:1 cannot be used /,
  ],
])('%s %s exits with %i', async (program, line, exit, stdout, stderr) => {
  const shown = await ended(program, line, { ...apiSettings(corridor), ...serverSettings(corridor) });
  expect(shown).toEqual({
    exit,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
  });
});

test('A command that has found something wrong prints it and exits with 1', async () => {
  const damage = (by: number) =>
    corridor.db.query('damage', 'update lp_collateral set available = available + $2 where lp_id = $1', [
      lp.id,
      by,
    ]);
  await damage(1);
  expect(await ended(CLI, 'ledger check', serverSettings(corridor))).toMatchObject({ exit: 1, stderr: '' });
  expect(await ended(CHECK, '', serverSettings(corridor))).toMatchObject({ exit: 1, stderr: '' });
  await damage(-1);
});

/** Large modules. Loading them would take most of the time of a command, which runs for a fraction of a second. */
const LARGE = /node_modules\/(@temporalio|@grpc|protobufjs|@mikro-orm|kysely|pg|esbuild|viem|xrpl)\//;

/** The modules that a program has loaded when it ends because its servers are away. */
const loadedBy = async (program: string, ...args: string[]): Promise<string[]> => {
  const cli = run('--import', ['./test/support/loaded-modules.ts', program, ...args], {
    PUBLIC_URL: 'http://127.0.0.1:1',
    ADMIN_API_KEY: 'admin-key-of-nobody',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  });
  expect(await cli.ended).toBe(1);
  return JSON.parse(/^loaded (.*)$/m.exec(cli.stderr())?.[1] ?? '');
};

test('A command that only calls the API loads neither a Temporal client nor a database', async () => {
  const loaded = await loadedBy(CLI, 'orders', 'list');
  expect(loaded.some((url) => url.endsWith('/src/cli/why.ts'))).toBe(true);
  expect(loaded.filter((url) => LARGE.test(url))).toEqual([]);
});

test('"why", which queries both, loads them', async () => {
  const loaded = await loadedBy(CLI, 'why', '1');
  for (const name of ['@temporalio/client', '@mikro-orm/postgresql'])
    expect(loaded.some((url) => url.includes(`/node_modules/${name}/`))).toBe(true);
});

test('A migration loads neither the API nor the worker', async () => {
  const loaded = await loadedBy('src/main.ts', 'migrate');
  expect(loaded.some((url) => url.endsWith('/src/service/run.ts'))).toBe(true);
  expect(
    loaded.filter((url) => /\/src\/api\/app\.ts$|node_modules\/(@temporalio\/worker|koa)\//.test(url)),
  ).toEqual([]);
});
