/** As many clients as all measures have. */
export const CLIENTS = 16;

/** So many pieces of work, each client one after the other. */
export async function together(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Longer says nothing more of what is slow. */
const LONGEST_MS = 10_000;

/** Pieces of work a second: of `count`, or of as many as can be done in ten seconds. */
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
