import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cleanUpOnSignals, createCleanup } from '../dev/cleanup.ts';
import { measureBaselines } from './baselines/measure.ts';
import { barChart } from './chart.ts';
import { ALTERNATIVES, type Choice, parseChoice } from './choice.ts';
import { type Round, spreads } from './comparison.ts';
import { type Figures, MEASURES, measure, type Size, WARM_UP_ORDERS } from './measures.ts';
import { failedChecks } from './parts/goals.ts';
import { PART_NAMES, type PartName } from './parts/names.ts';
import { PART_SIZES } from './parts/part.ts';
import { PARTS, type PartRound } from './parts/parts.ts';
import { partsReport } from './parts/report.ts';
import { report } from './report.ts';
import { resultFile, writeResult } from './results.ts';
import {
  type BenchRun,
  currentConditions,
  type Findings,
  readConditions,
  readRounds,
  unmeasured,
} from './run.ts';
import { type BenchServers, startServers } from './servers.ts';
import { SUBJECTS, type SubjectName, startSubject } from './subjects.ts';

const USAGE = `usage: npm run bench -- [--quick] [--rounds N] [--only NAME[,NAME…]] [--json FILE] [--write]

Compares Corridor with alternatives and with the parts that it builds on, on this machine. Every round starts, measures
and stops each of them, in a different order. Prints medians with minimum and maximum.
  --quick   one small round, to see that the bench runs; fails if a machine-independent check does
  --rounds  number of rounds (5)
  --only    measure only these: ${[ALTERNATIVES, ...PART_NAMES].join(', ')}
  --json    write all figures to this file
  --from    FILE[,FILE…] written by --json: add their rounds; code, machine and sizes must be the same. With
            --rounds 0, only these count
  --write   write the tables and charts into bench/results; not with --quick`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string' },
    from: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const warmUp = WARM_UP_ORDERS;
const WHOLE: Size = { warmUp, alone: 60, claims: 1_000, together: 240, paced: 40, reads: 4_000 };
const QUICK: Size = { warmUp: 16, alone: 5, claims: 32, together: 32, paced: 4, reads: 200 };
const size = values.quick ? QUICK : WHOLE;
const partSize = PART_SIZES[values.quick ? 'quick' : 'whole'];
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));

const say = (line: string) => process.stdout.write(`${line}\n`);
const cleanup = createCleanup(say);
let interrupted = false;
cleanUpOnSignals(() => {
  interrupted = true;
  return cleanup.run();
});

if (values.help) say(USAGE);
else await main().finally(cleanup.run);

async function main(): Promise<void> {
  const names = parseChoice(values.only);
  if (values.write && values.quick) throw new RangeError('--write cannot be combined with --quick');
  const files = values.from?.split(',') ?? [];
  const [first] = files;
  // Without new rounds, the figures belong to the commit and machine of the files.
  const conditions = rounds === 0 && first ? readConditions(first) : currentConditions(size, partSize);
  const before = readRounds(files, conditions);
  const done = Math.max(before.rounds.length, before.parts.length);
  const now = rounds > 0 ? await measureRounds(names, done) : { rounds: [], parts: [] };
  const all: BenchRun = {
    ...conditions,
    rounds: [...before.rounds, ...now.rounds],
    parts: [...before.parts, ...now.parts],
  };
  if (all.rounds.length > 0) say(`\n${report(all.rounds)}`);
  if (all.parts.length > 0) say(`\n${partsReport(all.parts)}`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
  if (values.write) write(all);
  for (const line of failedChecks(all.parts)) fail(line);
}

/** `done`: how many rounds earlier runs have measured. Their order goes on. */
async function measureRounds({ alternatives, parts }: Choice, done: number): Promise<Findings> {
  const servers = await startServers(say);
  cleanup.add(servers.stop);
  const measured: Round[] = [];
  const measuredParts: PartRound[] = [];
  for (let n = done; n < done + rounds; n++) {
    if (alternatives) measured.push(await measureSubjects(servers, n));
    if (parts.length > 0) measuredParts.push(await measureParts(servers, parts, n));
  }
  return { rounds: measured, parts: measuredParts };
}

function fail(line: string): void {
  say(`FAILED: ${line}`);
  process.exitCode = 1;
}

/** Each round begins with another subject or with the baselines, so that none profits from its place. */
async function measureSubjects(servers: BenchServers, n: number): Promise<Round> {
  const turns = ['baselines', ...SUBJECTS] as const;
  const figures = new Map<SubjectName, Figures>();
  let baselines: Round['baselines'] | undefined;
  for (let i = 0; i < turns.length; i++) {
    const name = turns[(i + n) % turns.length] as (typeof turns)[number];
    if (name === 'baselines') {
      baselines = await measureBaselines(servers, size);
      say(`round ${n + 1}, baselines: ${JSON.stringify(baselines)}`);
    } else figures.set(name, await measureSubject(servers, name, n));
  }
  const subjects = Object.fromEntries(SUBJECTS.map((name) => [name, figures.get(name)]));
  return { subjects: subjects as Round['subjects'], baselines: baselines as Round['baselines'] };
}

async function measureSubject(servers: BenchServers, name: SubjectName, n: number): Promise<Figures> {
  const subject = await startSubject(name, servers);
  cleanup.add(subject.stop);
  const found = await measure(subject, servers, size);
  await subject.stop();
  const texts = Object.entries(found).map(([key, value]) => `${key} ${value.toFixed(1)}`);
  say(`round ${n + 1}, ${name}: ${texts.join(', ')}`);
  return found;
}

/** A part that fails is reported and left out. The figures of the others stay valid. */
async function measureParts(
  servers: BenchServers,
  names: readonly PartName[],
  n: number,
): Promise<PartRound> {
  const figures: Partial<Record<PartName, unknown>> = {};
  for (const name of names) {
    try {
      figures[name] = await PARTS[name]({ servers, cleanup, size: partSize, round: n });
      say(`round ${n + 1}, ${name}: ${JSON.stringify(figures[name])}`);
    } catch (error) {
      // The cleanup is stopping the servers, so no further part may start.
      if (interrupted) throw error;
      fail(`${name} in round ${n + 1}: ${(error as Error).stack}`);
    }
  }
  return figures as PartRound;
}

/** Replaces the measured tables. Tables that were not measured keep their figures and their commit. */
function write({ rounds, parts, ...conditions }: BenchRun): void {
  if (parts.length > 0) {
    const missing = unmeasured(parts);
    const notMeasured = missing.length > 0 ? [`Not measured at this commit: ${missing.join(', ')}.`] : [];
    writeResult('parts', [...notMeasured, partsReport(parts)].join('\n\n'), conditions);
  }
  if (rounds.length > 0)
    writeResult('alternatives', [report(rounds), ...drawCharts(rounds)].join('\n\n'), conditions);
}

/** Writes a chart for each measure. Returns the Markdown lines that show them. */
function drawCharts(rounds: readonly Round[]): string[] {
  const whole = Object.entries(MEASURES).filter(([, measure]) => !('isPart' in measure));
  return whole.map(([key, { title, unit }]) => {
    const bars = spreads(rounds, key as keyof typeof MEASURES);
    writeFileSync(resultFile(`${key}.svg`), barChart(title, unit, bars, 'corridor'));
    return `![${title}](${key}.svg)`;
  });
}
