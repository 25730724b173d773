import { join } from 'node:path';
import { createCleanup } from '../dev/cleanup.ts';
import { cpuOfDescendants } from './cpu.ts';
import { together } from './load.ts';
import { requireDone, untilCompleted } from './measures.ts';
import type { BenchOrder } from './subjects.ts';
import { startWebhookSink } from './webhook-sink.ts';

/**
 * `compare-checkouts.ts` starts it with the folder of a checkout. It runs that checkout's Corridor with its own servers.
 * For a given number of orders, it moves the orders from their payment to their completion, one transition at a time,
 * and returns the figures.
 */

/**
 * `pay/s`: transitions per second. `pay CPU`: milliseconds of CPU time per order, of all processes but this one. `order CPU`:
 * from the first payment until all orders are completed, and their webhooks have arrived.
 */
export type Costs = Record<string, number>;

export interface Asked {
  orders: number;
  /** Each order has webhooks. */
  webhooks: boolean;
}

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

process.on('message', (asked: Asked) => {
  costsOf(asked).then(
    (costs) => process.send?.(costs),
    (error) => {
      process.stderr.write(`${(error as Error).stack}\n`);
      end(1);
    },
  );
});
process.stdout.write('ready\n');

async function costsOf({ orders: count, webhooks }: Asked): Promise<Costs> {
  const orders: BenchOrder[] = [];
  const costs: Costs = {};
  const sink = webhooks ? await startWebhookSink() : undefined;
  const used = cpuOfDescendants(process.pid);
  await timed('pay', async (n) => {
    orders[n] = await subject.pay(sink?.url);
  });
  for (const transition of ['claim', 'fiatSent', 'confirm', 'settle'] as const) {
    await timed(transition, async (n) => {
      requireDone(await subject[transition](orders[n] as BenchOrder, n % subject.lps));
    });
  }
  for (const order of orders) await (sink ? sink.completed(order.id) : untilCompleted(subject, order));
  costs['order CPU'] = (1_000 * (cpuOfDescendants(process.pid) - used)) / count;
  await sink?.stop();
  return costs;

  async function timed(transition: string, work: (n: number) => Promise<void>): Promise<void> {
    const [began, used] = [performance.now(), cpuOfDescendants(process.pid)];
    await together(count, work);
    costs[`${transition}/s`] = count / ((performance.now() - began) / 1_000);
    costs[`${transition} CPU`] = (1_000 * (cpuOfDescendants(process.pid) - used)) / count;
  }
}
