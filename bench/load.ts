/** The number of concurrent clients in every measure. */
export const CLIENTS = 16;

/** Performs `count` pieces of work with all clients; each client works sequentially. */
export async function together(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** A longer run of something slow adds no precision. */
const LONGEST_MS = 10_000;

/** Pieces of work per second, over `count` of them or over ten seconds, whichever ends first. */
export async function rate(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let done = 0;
  await together(count, async (n) => {
    if (performance.now() - began > LONGEST_MS) return;
    await work(n);
    done++;
  });
  return done / ((performance.now() - began) / 1_000);
}
