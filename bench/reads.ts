import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { startBareKoa } from './baselines/measure.ts';
import { spread } from './figures.ts';
import { rate } from './load.ts';
import { startServers } from './servers.ts';
import { must, startSubject } from './subjects.ts';

const USAGE = `usage: npm run bench:reads -- [--rounds N] [--reads N]

Measures the calls per second that change nothing, on Corridor and on Koa with a key's hash and one read. Both take turns,
so other work of the machine affects both. Prints medians, and the ratios of the rounds.
  --rounds  number of rounds (9)
  --reads   calls of each kind in a round (2000)`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    reads: { type: 'string', default: '2000' },
    help: { type: 'boolean', short: 'h' },
  },
});
const [rounds, reads] = [Number(values.rounds), Number(values.reads)];

const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else await main().finally(cleanup.run);

async function main(): Promise<void> {
  const servers = await startServers(say);
  cleanup.add(servers.stop);
  const bare = await startBareKoa(servers);
  cleanup.add(bare.stop);
  const corridor = await startSubject('corridor', servers);
  cleanup.add(corridor.stop);
  const order = await corridor.pay();
  must(200, await corridor.claim(order, 0));

  const calls: [string, (n: number) => Promise<unknown>][] = [
    ['bare Koa', bare.read],
    ['status reads', async () => must(200, await corridor.status(order))],
    ['lost claims', async (n) => must(409, await corridor.claim(order, 1 + (n % (corridor.lps - 1))))],
  ];
  const found = calls.map(() => [] as number[]);
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < calls.length; turn++) {
      const which = (turn + round) % calls.length;
      const perSecond = await rate(reads, (calls[which] as (typeof calls)[number])[1]);
      if (round > 0) found[which]?.push(perSecond);
    }
  }
  for (const [i, [name]] of calls.entries()) {
    const own = found[i] as number[];
    const ratio = spread(own.map((perSecond, round) => perSecond / Number(found[0]?.[round])));
    const ratios = `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`;
    say(`${name.padEnd(12)}  ${spread(own).median.toFixed(0).padStart(6)} /s  ÷ bare Koa ${ratios}`);
  }
}
