import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { spread } from './figures.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import type { Asked, Costs } from './transition-costs.ts';

const USAGE = `usage: npm run bench:compare -- --with FOLDER [--rounds N] [--orders N] [--webhooks]

Compares the transitions of an order with those of another checkout, whose packages are installed (npm ci): N orders (128)
in each of N rounds (20), in turns, with 16 clients, and with webhooks if you ask for them. Needs Linux. Prints the medians of both, and the median, minimum
and maximum of the rounds' ratios.`;

const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    orders: { type: 'string', default: '128' },
    webhooks: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
if (values.help || !values.with) say(USAGE);
else
  await compare(resolve(values.with), Number(values.rounds), {
    ...{ orders: Number(values.orders), webhooks: values.webhooks },
  }).finally(cleanup.run);

async function compare(folder: string, rounds: number, asked: Asked): Promise<void> {
  const other = await start(folder);
  const own = await start(fileURLToPath(new URL('../', import.meta.url)));
  const costs: { other: Costs; own: Costs }[] = [];
  for (let round = -1; round < rounds; round++) {
    // Each goes first in every other round.
    const first = round % 2 === 0 ? await other.ask<Costs>(asked) : undefined;
    const ownCosts = await own.ask<Costs>(asked);
    const otherCosts = first ?? (await other.ask<Costs>(asked));
    // The first round only warms up.
    if (round >= 0) costs.push({ other: otherCosts, own: ownCosts });
  }
  say('| | other | this | this ÷ other, median (minimum to maximum) |\n|---|---|---|---|');
  for (const figure of Object.keys(costs[0]?.own ?? {})) {
    const of = (one: Costs) => one[figure] ?? Number.NaN;
    const ratio = spread(costs.map((round) => of(round.own) / of(round.other)));
    const [others, owns] = [
      spread(costs.map((round) => of(round.other))),
      spread(costs.map((round) => of(round.own))),
    ];
    const bounds = `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`;
    say(
      `| ${figure} | ${others.median.toFixed(1)} | ${owns.median.toFixed(1)} | ${ratio.median.toFixed(3)} (${bounds}) |`,
    );
  }
}

async function start(folder: string): Promise<RunningProcess> {
  say(`starting ${folder}`);
  const running = await startProcess(['bench/transition-costs.ts', folder], {}, /^ready$/m);
  cleanup.add(running.stop);
  return running;
}
