import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cleanup, cleanUpOnSignals, createCleanup } from '../../dev/cleanup.ts';
import { seedFrom } from '../../test/support/random.ts';
import { faultsOf, summaryOf } from '../kernel/report.ts';
import { type HarnessReport, runHarness } from './harness.ts';
import { faultRows, isSound, markdownRow, shortfallsOf, summed } from './summary.ts';

const USAGE = `usage: npm run test:faults -- [--seed N | --seeds A-B] [--orders N] [--at-once N] [--minutes M] [--faults N] [--density D] [--rest SECONDS]
                             [--markdown FILE] [--keep]

Runs orders on a Corridor of several processes while it injects faults, and checks at the end that nothing was lost.
The same seed makes the same choices, but their timing differs from run to run. Exit code 1 on a breach, a stuck order,
more than one failed payment in 50, more than one abandoned call in 5, or a run that was long enough for a fault and a
crash but had none.
  --seeds     run these seeds in turn, even after a failure, and print a table with their sums
  --orders    the number of orders (30)
  --at-once   the number of orders at the same time (40)
  --minutes   the longest duration of the faults, in minutes (5)
  --faults    the maximum number of faults (the number of orders)
  --density   fault density: 1 has about two seconds between faults, 0.5 twice as much, 0 no faults (1)
  --rest      every order must end within this many seconds after the last fault, or after the last call of its own
              callers if that is later (60)
  --markdown  append the result of each seed to this file, as a row of a table
  --keep      keep the data and the logs; those of a failed seed are always kept`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    orders: { type: 'string', default: '30' },
    'at-once': { type: 'string', default: '40' },
    minutes: { type: 'string', default: '5' },
    faults: { type: 'string' },
    density: { type: 'string', default: '1' },
    rest: { type: 'string', default: '60' },
    markdown: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
/** Everything that the present seed has started. */
let cleanup: Cleanup = createCleanup(say);
cleanUpOnSignals(() => cleanup.run());
// An error outside of any awaited promise must not leave servers running.
process.on('uncaughtException', (error) => {
  say(String(error.stack));
  void cleanup.run().finally(() => process.exit(1));
});

if (values.help) say(USAGE);
else await main();

async function main(): Promise<void> {
  const seeds = selectedSeeds();
  const reports: HarnessReport[] = [];
  for (const seed of seeds) {
    const report = await runSeed(seed).catch((error: Error) => {
      say(`FAILED seed ${seed}: ${error.stack}`);
    });
    if (report) reports.push(report);
    if (!report || !isSound(report)) process.exitCode = 1;
  }
  if (seeds.length > 1) say(`\n${summed(reports, seeds)}`);
}

function selectedSeeds(): number[] {
  if (values.seeds === undefined) return [Number(values.seed ?? seedFrom('FAULTS_SEED'))];
  const [, first, last] = /^(\d+)-(\d+)$/.exec(values.seeds) ?? [];
  const count = Number(last) - Number(first) + 1;
  if (values.seed !== undefined || !(count > 0)) throw new Error(USAGE);
  return Array.from({ length: count }, (_, i) => Number(first) + i);
}

async function runSeed(seed: number): Promise<HarnessReport> {
  cleanup = createCleanup(say);
  const folder = await mkdtemp(join(tmpdir(), 'corridor-faults-'));
  let report: HarnessReport | undefined;
  try {
    const orders = Number(values.orders);
    report = await runHarness({
      ...{ folder, cleanup, say, orders, seed },
      concurrency: Number(values['at-once']),
      maxDurationMs: Number(values.minutes) * 60_000,
      maxFaults: Number(values.faults ?? orders),
      density: Number(values.density),
      endWithinMs: Number(values.rest) * 1_000,
    });
    for (const line of faultsOf(report)) say(line);
    for (const shortfall of shortfallsOf(report)) say(`NO PROOF ${shortfall}`);
    say(summaryOf(report, faultRows(report)));
    if (values.markdown) appendFileSync(values.markdown, `${markdownRow(report)}\n`);
    return report;
  } finally {
    await cleanup.run();
    if (values.keep || !report || !isSound(report)) say(`Data and logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}
