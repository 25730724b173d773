import { parseArgs } from 'node:util';
import { createProgram } from '../../dev/cleanup.ts';
import { spread } from '../figures.ts';
import { formatSpread, plain, table } from '../report.ts';
import type { Figures, Given, Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const USAGE = `usage: npm run bench:ab -- SCENARIO [--rounds N] [--size NAME=N]… [--with FOLDER]

Answers one question by rounds in which the alternatives take turns, so other work of the machine affects all of them. Prints the
median of each figure, and the median, minimum and maximum of its ratio to the first alternative in the same round.
--with: another checkout of Corridor, whose packages are installed (npm ci).

${Object.entries(SCENARIOS).map(describe).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    size: { type: 'string', multiple: true, default: [] },
    with: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
const scenario = SCENARIOS[positionals[0] ?? ''];
if (values.help) say(USAGE);
else if (scenario) await run(scenario).finally(cleanup.run);
else {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
}

function describe([name, { question, sizes, rounds }]: [string, Scenario]): string {
  const all = Object.entries(sizes).map(([size, n]) => `${size}=${n}`);
  return `${name}: ${question} ${[`${rounds} rounds`, ...all].join(', ')}.`;
}

async function run(scenario: Scenario): Promise<void> {
  const sizes = sizesOf(scenario);
  const given: Given = { say, cleanup, other: values.with, size: (name) => found(sizes[name], name) };
  const alternatives = Object.entries(await scenario.start(given));
  const measured = new Map(alternatives.map(([name]) => [name, [] as Figures[]]));
  const rounds = Number(values.rounds ?? scenario.rounds);
  if (!(rounds > 0)) throw new RangeError(USAGE);
  for (let round = scenario.warms ? 0 : 1; round <= rounds; round++)
    for (let turn = 0; turn < alternatives.length; turn++) {
      const [name, measure] = found(alternatives[(round + turn) % alternatives.length], 'alternative');
      const figures = await measure();
      if (round > 0) measured.get(name)?.push(figures);
    }
  say(`\n${report(measured)}`);
  const worst = Math.max(...ratios(measured).map(({ ratio }) => spread(ratio).median));
  if (scenario.atMost && worst > scenario.atMost) {
    say(`The highest ratio is ${plain(worst)}, but must be at most ${scenario.atMost}`);
    process.exitCode = 1;
  }
}

function sizesOf({ sizes }: Scenario): Record<string, number> {
  const given = values.size.map((size) => size.split('='));
  for (const [name = '', n] of given)
    if (!(name in sizes) || Number.isNaN(Number(n ?? Number.NaN))) throw new RangeError(USAGE);
  return { ...sizes, ...Object.fromEntries(given.map(([name, n]) => [name, Number(n)])) };
}

function found<T>(one: T | undefined, what: string): T {
  if (one === undefined) throw new RangeError(`There is no ${what}`);
  return one;
}

type Measured = Map<string, Figures[]>;

/** Every figure of every alternative but the first, divided by the first one's in the same round. */
function ratios(measured: Measured): { name: string; figure: string; ratio: number[] }[] {
  const [[, first = []] = [], ...others] = [...measured];
  return others.flatMap(([name, rounds]) =>
    Object.keys(rounds[0] ?? {}).map((figure) => ({
      ...{ name, figure },
      ratio: rounds.map((one, round) => found(one[figure], figure) / Number(first[round]?.[figure])),
    })),
  );
}

function report(measured: Measured): string {
  const names = [...measured.keys()];
  const all = ratios(measured);
  const rows = Object.keys([...measured.values()][0]?.[0] ?? {}).map((figure) => [
    figure,
    ...names.map((name) =>
      plain(spread(measured.get(name)?.map((one) => found(one[figure], figure)) ?? []).median),
    ),
    ...all.filter((one) => one.figure === figure).map(({ ratio }) => formatSpread(spread(ratio))),
  ]);
  return table(['figure', ...names, ...names.slice(1).map((name) => `${name} ÷ ${names[0]}`)], rows, '---:');
}
