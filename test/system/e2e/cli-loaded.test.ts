import { expect, test } from '@jest/globals';
import { run } from '../../support/processes.ts';

const CLI = 'src/cli/main.ts';

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

test('a command that only calls the API loads neither a Temporal client nor a database', async () => {
  const loaded = await loadedBy(CLI, 'orders', 'list');
  expect(loaded.some((url) => url.endsWith('/src/cli/why.ts'))).toBe(true);
  expect(loaded.filter((url) => LARGE.test(url))).toEqual([]);
});

test('"why", which queries both, loads them', async () => {
  const loaded = await loadedBy(CLI, 'why', '1');
  for (const name of ['@temporalio/client', '@mikro-orm/postgresql'])
    expect(loaded.some((url) => url.includes(`/node_modules/${name}/`))).toBe(true);
});

test('a migration loads neither the API nor the worker', async () => {
  const loaded = await loadedBy('src/main.ts', 'migrate');
  expect(loaded.some((url) => url.endsWith('/src/service/run.ts'))).toBe(true);
  expect(
    loaded.filter((url) => /\/src\/api\/app\.ts$|node_modules\/(@temporalio\/worker|koa)\//.test(url)),
  ).toEqual([]);
});
