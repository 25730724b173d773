import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEnding } from '../../demo/ending.ts';
import { breachInWords } from '../../src/invariants/check.ts';
import { seedFrom } from '../support/random.ts';
import { type HarnessReport, runHarness } from './harness.ts';
import { inWords, markdownRow } from './summary.ts';

const USAGE = `usage: npm run test:faults -- [--seed N] [--orders N] [--minutes M] [--faults N] [--markdown FILE] [--keep]

Runs orders on a Corridor of several processes while faults strike, and proves at the end that nothing was lost.
The same seed makes the same choices; how they meet in time is the machine's. Exit code 1 on a breach or a stuck order.
  --orders    how many (30)
  --minutes   faults strike for no longer than this (5)
  --faults    no more than this many strike (as many as there are orders)
  --markdown  append the result to this file, as a row of a table
  --keep      leave the data and the logs in their folder`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    orders: { type: 'string', default: '30' },
    minutes: { type: 'string', default: '5' },
    faults: { type: 'string' },
    markdown: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const ending = createEnding(say);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void ending.come().finally(() => process.exit(1)));
// Whatever goes wrong where nobody waits for it must leave no server behind.
process.on('uncaughtException', (error) => {
  say(String(error.stack));
  void ending.come().finally(() => process.exit(1));
});

if (values.help) say(USAGE);
else await main();

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-faults-'));
  let report: HarnessReport | undefined;
  try {
    const orders = Number(values.orders);
    report = await runHarness({
      ...{ folder, ending, say, orders },
      seed: Number(values.seed ?? seedFrom('FAULTS_SEED')),
      longestMs: Number(values.minutes) * 60_000,
      mostFaults: Number(values.faults ?? orders),
    });
    for (const breach of report.breaches) say(`BREACH ${breachInWords(breach)}`);
    for (const stuck of report.stuck) say(`STUCK ${stuck}`);
    say(inWords(report));
    if (values.markdown) appendFileSync(values.markdown, `${markdownRow(report)}\n`);
  } finally {
    await ending.come();
    const isSound = report && report.breaches.length + report.stuck.length === 0;
    if (values.keep || !isSound) say(`Data and logs are in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
    if (!isSound) process.exitCode = 1;
  }
}
