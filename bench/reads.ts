import { parseArgs } from 'node:util';
import { createEnding, endOnSignals } from '../demo/ending.ts';
import { spread } from './figures.ts';
import { startBareKoa } from './floors/measure.ts';
import { rate } from './load.ts';
import { startServers } from './servers.ts';
import { must, startSubject } from './subjects.ts';

const USAGE = `usage: npm run bench:reads -- [--rounds N] [--reads N]

How many calls that change nothing Corridor answers in a second, against Koa with a key's hash and one read. Both run all
the time, and take turns: what else the machine does meets both. Prints medians, and the ratios of each round.
  --rounds  how many (9)
  --reads   of each kind in a round (2000)`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    reads: { type: 'string', default: '2000' },
    help: { type: 'boolean', short: 'h' },
  },
});
const [rounds, reads] = [Number(values.rounds), Number(values.reads)];

const say = (line: string) => process.stdout.write(`${line}\n`);
const ending = createEnding(say);
endOnSignals(ending.come);
if (values.help) say(USAGE);
else await main().finally(ending.come);

async function main(): Promise<void> {
  const servers = await startServers(say);
  ending.add(servers.stop);
  const bare = await startBareKoa(servers);
  ending.add(bare.stop);
  const corridor = await startSubject('corridor', servers);
  ending.add(corridor.stop);
  const order = await corridor.pay();
  must(200, await corridor.claim(order, 0));

  const calls: [string, (n: number) => Promise<unknown>][] = [
    ['bare Koa', bare.read],
    ['status reads', async () => must(200, await corridor.status(order))],
    ['lost claims', async (n) => must(409, await corridor.claim(order, 1 + (n % (corridor.lps - 1))))],
  ];
  const found = calls.map(() => [] as number[]);
  // The first round makes the code warm and counts for nothing.
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
