import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cleanup, cleanUpOnSignals, createCleanup } from '../../dev/cleanup.ts';
import { findingText } from '../../src/diagnosis/finding.ts';
import { seedFrom } from '../support/random.ts';
import { type HarnessReport, runHarness } from './harness.ts';
import { inWords, isSound, lackOf, markdownRow, summed } from './summary.ts';

const USAGE = `usage: npm run test:faults -- [--seed N | --seeds A-B] [--orders N] [--at-once N] [--minutes M] [--faults N] [--density D] [--rest SECONDS]
                             [--markdown FILE] [--keep]

Runs orders on a Corridor of several processes while faults strike, and proves at the end that nothing was lost.
The same seed makes the same choices; how they meet in time is the machine's. Exit code 1 on a breach, a stuck order,
more than one payment in fifty that could not be made, more than one call in five that was given up, or where no fault
has struck or no process has died at a crash point though there was the time.
  --seeds     each of these, one after the other, whatever becomes of the one before; a summed table at the end
  --orders    how many (30)
  --at-once   how many of them at the same time (40)
  --minutes   faults strike for no longer than this (5)
  --faults    no more than this many strike (as many as there are orders)
  --density   how thick faults come; 1 leaves two seconds between them, 0.5 twice as much, 0 has none (1)
  --rest      within so many seconds every order comes to its end: after everything was mended, or after the last step
              of its own callers where that is later (60)
  --markdown  append the result of each seed to this file, as a row of a table
  --keep      leave the data and the logs in their folder; those of a seed that fails are always left`;

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
/** What the seed that runs has started. */
let cleanup: Cleanup = createCleanup(say);
cleanUpOnSignals(() => cleanup.run());
// Whatever goes wrong where nobody waits for it must leave no server behind.
process.on('uncaughtException', (error) => {
  say(String(error.stack));
  void cleanup.run().finally(() => process.exit(1));
});

if (values.help) say(USAGE);
else await main();

async function main(): Promise<void> {
  const seeds = seedsAsked();
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

function seedsAsked(): number[] {
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
      longestMs: Number(values.minutes) * 60_000,
      mostFaults: Number(values.faults ?? orders),
      density: Number(values.density),
      restWithinMs: Number(values.rest) * 1_000,
    });
    for (const breach of report.breaches) say(`BREACH ${findingText(breach)}`);
    for (const stuck of report.stuck) say(`STUCK ${stuck}`);
    for (const lack of lackOf(report)) say(`NO PROOF ${lack}`);
    say(inWords(report));
    if (values.markdown) appendFileSync(values.markdown, `${markdownRow(report)}\n`);
    return report;
  } finally {
    await cleanup.run();
    if (values.keep || !report || !isSound(report)) say(`Data and logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}
