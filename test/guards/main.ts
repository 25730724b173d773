import { parseArgs } from 'node:util';
import { cleanUpOnSignals, createCleanup } from '../../dev/cleanup.ts';
import type { Guard } from './guard.ts';
import { judge, type Verdict } from './judge.ts';
import { copyProject } from './project-copy.ts';
import { createTestRunner } from './run-tests.ts';
import { GUARDS } from './table/index.ts';

const USAGE = `usage: npm run test:guards -- [--only NAME] [--list]

Disables one guard of the money path at a time in a temporary copy of the project, and runs the test that attacks it. The
test must pass with the guard, and fail without it for an assertion. Exit code 1 if any guard has no such test.
  --only  guards whose name contains NAME
  --list  print the guards, run nothing`;

/** Time limits: for all attacks with all guards in place, and for one attack without its guard. */
const ALL_LIMIT_MS = 15 * 60_000;
const ONE_LIMIT_MS = 4 * 60_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const cleanup = createCleanup(say);
cleanUpOnSignals(() => cleanup.run());

const row = (mark: string, { name, attack }: Guard) => `${mark} ${name.padEnd(48)} ${attack.file}`;

const OUTCOMES: Record<Verdict['kind'], string> = {
  failed: 'without it: ',
  passed: 'NO TEST FAILS WITHOUT IT',
  crashed: 'WITHOUT IT THE TEST CRASHES, which proves nothing: ',
  'not run': 'WITHOUT IT THE TEST DOES NOT RUN, which proves nothing: ',
};

const guards = GUARDS.filter(({ name }) => name.includes(values.only));
if (values.help) say(USAGE);
else if (guards.length === 0) {
  say(`No guard's name contains "${values.only}". --list prints all names.`);
  process.exitCode = 1;
} else if (values.list) for (const guard of guards) say(`${guard.name} (${guard.file})`);
else
  await main()
    .catch((error: Error) => {
      say(error.message);
      process.exitCode = 1;
    })
    .finally(() => cleanup.run());

async function main(): Promise<void> {
  const started = Date.now();
  const copy = await copyProject(cleanup);
  const tests = createTestRunner(copy);
  cleanup.add(tests.stop);

  say(`${guards.length} guards. First, their attacks with every guard in place …`);
  const intact = await tests.run(guards, ALL_LIMIT_MS);
  const unfit = guards.flatMap((guard) => {
    const { kind, detail } = judge(intact, guard);
    return kind === 'passed' ? [] : [`${row('✗', guard)}\n    with the guard: ${kind}. ${detail}`];
  });
  if (unfit.length > 0) throw new Error(unfit.join('\n'));

  const missing: Guard[] = [];
  for (const guard of guards) {
    const verdict = await copy.without(guard, async () =>
      judge(await tests.run([guard], ONE_LIMIT_MS), guard),
    );
    const isNeeded = verdict.kind === 'failed';
    if (!isNeeded) missing.push(guard);
    say(`${row(isNeeded ? '✓' : '✗', guard)}\n    ${OUTCOMES[verdict.kind]}${verdict.detail.slice(0, 160)}`);
  }
  const seconds = Math.round((Date.now() - started) / 1_000);
  say(
    `\n${guards.length - missing.length} of ${guards.length} guards have a test that fails without them, ${seconds} s`,
  );
  if (missing.length > 0) process.exitCode = 1;
}
