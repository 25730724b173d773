import { join } from 'node:path';
import { createCleanup } from '../dev/cleanup.ts';
import { cpuOfDescendants } from './cpu.ts';
import { together } from './load.ts';
import { requireDone } from './measures.ts';
import type { BenchOrder } from './subjects.ts';

/**
 * `compare-checkouts.ts` starts it with the folder of a checkout. It runs that checkout's Corridor with its own servers.
 * For a given number of orders, it moves the orders from their payment to their settlement, one transition at a time,
 * and returns the figures.
 */

/** `pay/s`: transitions per second. `pay CPU`: milliseconds of CPU time per order, of all processes but this one. */
export type Costs = Record<string, number>;

const checkout = process.argv[2] ?? '.';
const its = async <Module>(file: string) => (await import(join(checkout, 'bench', file))) as Module;
const { startServers } = await its<typeof import('./servers.ts')>('servers.ts');
const { startSubject } = await its<typeof import('./subjects.ts')>('subjects.ts');

const cleanup = createCleanup((line) => process.stderr.write(`${line}\n`));
const end = (code: number) => void cleanup.run().finally(() => process.exit(code));
process.once('disconnect', () => end(1)).once('SIGTERM', () => end(0));
const servers = await startServers(() => undefined);
cleanup.add(servers.stop);
const subject = await startSubject('corridor', servers);
cleanup.add(subject.stop);

process.on('message', (orders: number) => {
  costsOf(orders).then(
    (costs) => process.send?.(costs),
    (error) => {
      process.stderr.write(`${(error as Error).stack}\n`);
      end(1);
    },
  );
});
process.stdout.write('ready\n');

async function costsOf(count: number): Promise<Costs> {
  const orders: BenchOrder[] = [];
  const costs: Costs = {};
  await timed('pay', async (n) => {
    orders[n] = await subject.pay();
  });
  for (const transition of ['claim', 'fiatSent', 'confirm', 'settle'] as const) {
    await timed(transition, async (n) => {
      requireDone(await subject[transition](orders[n] as BenchOrder, n % subject.lps));
    });
  }
  return costs;

  async function timed(transition: string, work: (n: number) => Promise<void>): Promise<void> {
    const [began, used] = [performance.now(), cpuOfDescendants(process.pid)];
    await together(count, work);
    costs[`${transition}/s`] = count / ((performance.now() - began) / 1_000);
    costs[`${transition} CPU`] = (1_000 * (cpuOfDescendants(process.pid) - used)) / count;
  }
}
