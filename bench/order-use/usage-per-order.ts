import { setTimeout as delay } from 'node:timers/promises';

/** Amounts by what they count. */
export type Counts = Record<string, number>;

/** A number of orders, and how to take all of them to their completion. */
interface OrderRun {
  orders: number;
  complete: () => Promise<unknown>;
}

const IDLE_MS = 10_000;

/** What an order takes of everything that `read` sums up, without what the idle service takes in the same time. */
export async function usagePerOrder(
  read: () => Promise<Counts>,
  runs: readonly OrderRun[],
): Promise<Counts[]> {
  const used: (Used & Pick<OrderRun, 'orders'>)[] = [];
  for (const { orders, complete } of runs) used.push({ orders, ...(await usedDuring(read, complete)) });
  // Last, because a process that has just started still compiles and collects garbage.
  const idle = await usedDuring(read, () => delay(IDLE_MS));
  return used.map(({ counts, ms, orders }) => {
    const perOrder = ([name, count]: [string, number]): [string, number] => [
      name,
      (count - ((idle.counts[name] ?? 0) * ms) / idle.ms) / orders,
    ];
    return Object.fromEntries(Object.entries(counts).map(perOrder));
  });
}

interface Used {
  counts: Counts;
  ms: number;
}

async function usedDuring(read: () => Promise<Counts>, work: () => Promise<unknown>): Promise<Used> {
  const [before, began] = [await read(), performance.now()];
  await work();
  const [after, ms] = [await read(), performance.now() - began];
  const counts = Object.entries(after).map(([name, sum]) => [name, sum - (before[name] ?? 0)] as const);
  return { counts: Object.fromEntries(counts), ms };
}
