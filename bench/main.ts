import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createEnding, endOnSignals } from '../demo/ending.ts';
import { barChart } from './chart.ts';
import { type Chosen, CONTESTANTS, chosen } from './choice.ts';
import { type Round, spreads } from './comparison.ts';
import { documentOf } from './document.ts';
import { measureFloors } from './floors/measure.ts';
import { type Figures, MEASURES, measure, type Size } from './measures.ts';
import { broken } from './parts/goals.ts';
import { PART_NAMES, type PartName } from './parts/names.ts';
import { PART_SIZES } from './parts/part.ts';
import { PARTS, type PartRound } from './parts/parts.ts';
import { partsReport } from './parts/report.ts';
import { report } from './report.ts';
import { type BenchServers, startServers } from './servers.ts';
import {
  circumstances,
  circumstancesOf,
  earlier,
  type Findings,
  type Sitting,
  unmeasured,
} from './sitting.ts';
import { SUBJECTS, type SubjectName, startSubject } from './subjects.ts';

const USAGE = `usage: npm run bench -- [--quick] [--rounds N] [--only NAME[,NAME…]] [--json FILE] [--write]

Measures Corridor against what else could do its work, and against what it stands on, on this machine. In every round
each of them is started, measured and stopped, in another order each time. Prints medians and spreads.
  --quick   small and once: shows that it runs, and says little; fails when what holds on any machine does not
  --rounds  how many (5)
  --only    some of it: ${[CONTESTANTS, ...PART_NAMES].join(', ')}
  --json    writes all figures to this file
  --from    FILE[,FILE…] of --json: their rounds count as well, where code, machine and sizes were the same; with
            --rounds 0 nothing else does
  --write   writes the tables of what was measured into docs/benchmarks.md and the charts beside it; not with --quick`;

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
const WHOLE: Size = { alone: 60, together: 240, reads: 4_000 };
const QUICK: Size = { alone: 5, together: 32, reads: 200 };
const size = values.quick ? QUICK : WHOLE;
const partSize = PART_SIZES[values.quick ? 'quick' : 'whole'];
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));

const say = (line: string) => process.stdout.write(`${line}\n`);
const ending = createEnding(say);
let interrupted = false;
endOnSignals(() => {
  interrupted = true;
  return ending.come();
});

if (values.help) say(USAGE);
else await main().finally(ending.come);

async function main(): Promise<void> {
  const names = chosen(values.only);
  if (values.write && values.quick) throw new RangeError('--write is not for a small round');
  const files = values.from?.split(',') ?? [];
  const [first] = files;
  // Where nothing is measured now, it is all of the time when those files were written.
  const when = rounds === 0 && first ? circumstancesOf(first) : circumstances(size, partSize);
  const before = earlier(files, when);
  const now = rounds > 0 ? await someRounds(names) : { rounds: [], parts: [] };
  const all: Sitting = {
    ...when,
    rounds: [...before.rounds, ...now.rounds],
    parts: [...before.parts, ...now.parts],
  };
  if (all.rounds.length > 0) say(`\n${report(all.rounds)}`);
  if (all.parts.length > 0) say(`\n${partsReport(all.parts)}`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
  if (values.write) write(all);
  for (const line of broken(all.parts)) fail(line);
}

async function someRounds({ contestants, parts }: Chosen): Promise<Findings> {
  const servers = await startServers(say);
  ending.add(servers.stop);
  const measured: Round[] = [];
  const ofParts: PartRound[] = [];
  for (let n = 0; n < rounds; n++) {
    if (contestants) measured.push(await aRound(servers, n));
    if (parts.length > 0) ofParts.push(await partsRound(servers, parts, n));
  }
  return { rounds: measured, parts: ofParts };
}

function fail(line: string): void {
  say(`NOT KEPT: ${line}`);
  process.exitCode = 1;
}

/** Whoever comes first has no advantage: each round begins with another. */
async function aRound(servers: BenchServers, n: number): Promise<Round> {
  const names = SUBJECTS.map((_, i) => SUBJECTS[(i + n) % SUBJECTS.length] as SubjectName);
  const figures = new Map<SubjectName, Figures>();
  for (const name of names) {
    const subject = await startSubject(name, servers);
    ending.add(subject.stop);
    const found = await measure(subject, size);
    await subject.stop();
    figures.set(name, found);
    const inWords = Object.entries(found).map(([key, value]) => `${key} ${value.toFixed(1)}`);
    say(`round ${n + 1}, ${name}: ${inWords.join(', ')}`);
  }
  const floors = await measureFloors(servers, size);
  say(`round ${n + 1}, floors: ${JSON.stringify(floors)}`);
  const subjects = Object.fromEntries(SUBJECTS.map((name) => [name, figures.get(name)]));
  return { subjects: subjects as Round['subjects'], floors };
}

/** One that goes wrong is not kept, and does not take the others' figures with it. */
async function partsRound(servers: BenchServers, names: readonly PartName[], n: number): Promise<PartRound> {
  const figures: Partial<Record<PartName, unknown>> = {};
  for (const name of names) {
    try {
      figures[name] = await PARTS[name]({ servers, ending, size: partSize, round: n });
      say(`round ${n + 1}, ${name}: ${JSON.stringify(figures[name])}`);
    } catch (error) {
      // What it stood on is being taken away: nothing more may be begun.
      if (interrupted) throw error;
      fail(`${name} in round ${n + 1}: ${(error as Error).stack}`);
    }
  }
  return figures as PartRound;
}

/** What was measured takes the place of what was there; the rest stays, with the commit that it is of. */
function write({ commit, machine, rounds, parts }: Sitting): void {
  const document = documentOf('benchmarks.md');
  const of = `Of commit ${commit} (${machine}).`;
  if (parts.length > 0) {
    const missing = unmeasured(parts);
    const still = missing.length > 0 ? [`Not measured of this commit: ${missing.join(', ')}.`] : [];
    document.put('parts', [of, ...still, partsReport(parts)].join('\n\n'));
  }
  if (rounds.length > 0) document.put('contestants', [of, report(rounds), ...drawn(rounds)].join('\n\n'));
}

/** A chart of each measure, in a file of its own. Gives the lines that show them. */
function drawn(rounds: readonly Round[]): string[] {
  const charts = new URL('../docs/benchmarks/', import.meta.url);
  mkdirSync(charts, { recursive: true });
  return Object.entries(MEASURES).map(([key, { title, unit }]) => {
    const bars = spreads(rounds, key as keyof typeof MEASURES);
    writeFileSync(new URL(`${key}.svg`, charts), barChart(title, unit, bars, 'corridor'));
    return `![${title}](benchmarks/${key}.svg)`;
  });
}
