import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepCompiledCode } from '../../src/process/compiled-code.ts';
import { testEnvironment } from '../support/environment.ts';
import setUpServers from '../support/global-setup.ts';
import { createRandom } from '../support/random.ts';
import type { Guard } from './guard.ts';
import { judge, type Verdict } from './judge.ts';
import { type Attacks, createTestRunner, type TestRunner } from './run-tests.ts';
import { GUARDS } from './table/index.ts';

const USAGE = `usage: npm run test:guards -- [--only NAME] [--seed N --count N] [--lanes N] [--list]

Disables one guard of the money path at a time, and runs the test that attacks it. The test must pass with the guard, and
fail without it for an assertion. The files stay as they are. Exit code 1 if any guard has no such test.
  --only   guards whose name, file or file of tests contains NAME
  --count  so many of them, of random files of tests
  --seed   the same pick again
  --lanes  attacks that run at the same time (2)
  --list   print the guards, run nothing`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
    count: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

const OUTCOMES: Record<Verdict['kind'], string> = {
  failed: 'without it: ',
  passed: 'NO TEST FAILS WITHOUT IT',
  crashed: 'WITHOUT IT THE TEST CRASHES, which proves nothing: ',
  'not run': 'WITHOUT IT THE TEST DOES NOT RUN, which proves nothing: ',
};

const files = picked(Map.groupBy(matching(), ({ attack }) => attack.file));
if (values.help) say(USAGE);
else if (files.length === 0) {
  say(`No guard's name or file contains "${values.only}". --list prints all.`);
  process.exitCode = 1;
} else if (values.list)
  for (const guard of files.flatMap(([, guards]) => guards))
    say(`${guard.name} (${guard.file}, ${guard.attack.file})`);
else
  await main().catch((error: Error) => {
    say(error.message);
    process.exitCode = 1;
  });

function matching(): Guard[] {
  return GUARDS.filter(({ name, file, attack }) =>
    [name, file, attack.file].some((text) => text.includes(values.only)),
  );
}

/** By their attack's file, because the attacks on guards in one file share their start. */
function picked(files: ReadonlyMap<string, Guard[]>): [string, Guard[]][] {
  if (values.count === undefined) return [...files];
  const [seed, count] = [Number(values.seed ?? Date.now() % 2 ** 31), Number(values.count)];
  say(`--seed ${seed} --count ${count}`);
  const random = createRandom(seed);
  const shuffled = [...files]
    .map((entry) => ({ entry, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank);
  let left = count;
  return shuffled.flatMap(({ entry: [file, guards] }) => {
    const some = guards.slice(0, left);
    left -= some.length;
    return some.length > 0 ? [[file, some] satisfies [string, Guard[]]] : [];
  });
}

async function main(): Promise<void> {
  const started = Date.now();
  keepCompiledCode();
  const temporary = await mkdtemp(join(tmpdir(), 'corridor-guards-'));
  // Also if the program is interrupted.
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
  // See `createTestRunner`.
  await chmod(temporary, 0o711);
  const guards = files.flatMap(([, ofFile]) => ofFile);
  // A test that starts this program shares its own servers.
  const isTest = process.env.CORRIDOR_TEST_ENVIRONMENT !== undefined;
  const needServers = !isTest && guards.some(({ attack }) => !attack.file.startsWith('test/unit/'));
  let tests: TestRunner | undefined;
  const interrupt = () => tests?.stop();
  // Before the servers' own handlers, which exit.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    if (needServers) await setUpServers();
    tests = createTestRunner(temporary, needServers ? testEnvironment().adminUrl : undefined);
    const missing = await proveAll(tests, files);
    const seconds = Math.round((Date.now() - started) / 1_000);
    say(
      `\n${guards.length - missing} of ${guards.length} guards have a test that fails without them, ${seconds} s`,
    );
    if (missing > 0) process.exitCode = 1;
  } finally {
    if (needServers) await globalThis.stopTestServers?.();
  }
}

/** Returns how many guards no test proves. */
async function proveAll(
  runner: TestRunner,
  files: readonly (readonly [string, readonly Guard[]])[],
): Promise<number> {
  const total = files.flatMap(([, guards]) => guards).length;
  say(`\n${total} guards, attacked by ${files.length} files`);
  let [done, missing] = [0, 0];
  const report = (isProven: boolean, { name, attack }: Guard, detail: string) => {
    done++;
    if (!isProven) missing++;
    say(`${isProven ? '✓' : '✗'} ${done}/${total} ${name.padEnd(48)} ${attack.file}\n    ${detail}`);
  };
  const prove = async ([file, guards]: readonly [string, readonly Guard[]]) => {
    for (const [name, attacked] of Map.groupBy(guards, ({ attack }) => attack.name)) {
      let tests: Attacks = { file, names: [name] };
      let before = judge(await runner.intact(tests), { attack: { file, name } });
      if (before.kind !== 'passed') {
        // It needs what earlier tests leave. Or the machine is busy, and it passes the second time.
        tests = {
          file,
          names: GUARDS.filter(({ attack }) => attack.file === file).map(({ attack }) => attack.name),
        };
        before = judge(await runner.intact(tests), { attack: { file, name } });
      }
      for (const guard of attacked) {
        if (before.kind !== 'passed')
          report(false, guard, `WITH IT, THE TEST IS NOT PASSED BUT ${before.kind}: ${before.detail}`);
        else {
          const { kind, detail } = judge(await runner.without(guard, tests), guard);
          report(kind === 'failed', guard, `${OUTCOMES[kind]}${detail.slice(0, 160)}`);
        }
      }
    }
  };
  const waiting = [...files];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await prove(next);
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  return missing;
}
