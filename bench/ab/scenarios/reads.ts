import { startBareKoa } from '../../baselines/measure.ts';
import { rate } from '../../load.ts';
import { startServers } from '../../servers.ts';
import { must, startSubject } from '../../subjects.ts';
import type { Scenario } from '../scenario.ts';

export const READS: Scenario = {
  question:
    'How many calls that change nothing does Corridor serve, compared with Koa with a key’s hash and one read?',
  sizes: { reads: 2_000 },
  rounds: 9,
  warms: true,
  async start({ say, cleanup, size }) {
    const servers = await startServers(say);
    cleanup.add(servers.stop);
    const bare = await startBareKoa(servers);
    cleanup.add(bare.stop);
    const corridor = await startSubject('corridor', servers);
    cleanup.add(corridor.stop);
    const order = await corridor.pay();
    must(200, await corridor.claim(order, 0));
    const calls = async (call: (n: number) => Promise<unknown>) => ({
      'calls/s': await rate(size('reads'), call),
    });
    return {
      'bare Koa': () => calls(bare.read),
      'status reads': () => calls(async () => must(200, await corridor.status(order))),
      'lost claims': () =>
        calls(async (n) => must(409, await corridor.claim(order, 1 + (n % (corridor.lps - 1))))),
    };
  },
};
