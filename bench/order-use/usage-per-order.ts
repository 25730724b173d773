import { setTimeout as delay } from 'node:timers/promises';

/** Amounts by what they count. */
export type Counts = Record<string, number>;

const IDLE_MS = 10_000;

/**
 * What an order takes of everything that `read` counts, without what the idle service takes in the same time. `read`: the
 * sums so far. Each run of the list resolves when its orders are completed, and returns how many those are.
 */
export async function usagePerOrder(
  read: () => Promise<Counts>,
  runs: readonly (() => Promise<number>)[],
): Promise<Counts[]> {
  const used: Awaited<ReturnType<typeof usedDuring>>[] = [];
  for (const run of runs) used.push(await usedDuring(read, run));
  // Last, because a process that has just started still compiles and collects garbage.
  const idle = await usedDuring(read, async () => {
    await delay(IDLE_MS);
    return 1;
  });
  return used.map(({ counts, ms, orders }) => {
    const perOrder = ([name, count]: [string, number]): [string, number] => [
      name,
      (count - ((idle.counts[name] ?? 0) * ms) / idle.ms) / orders,
    ];
    return Object.fromEntries(Object.entries(counts).map(perOrder));
  });
}

async function usedDuring(read: () => Promise<Counts>, run: () => Promise<number>) {
  const [before, began] = [await read(), performance.now()];
  const orders = await run();
  const [after, ms] = [await read(), performance.now() - began];
  const counts = Object.entries(after).map(([name, sum]) => [name, sum - (before[name] ?? 0)] as const);
  return { counts: Object.fromEntries(counts), ms, orders };
}
