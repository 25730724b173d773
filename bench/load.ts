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

/** Pieces of work a second. */
export async function rate(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await together(count, work);
  return count / ((performance.now() - began) / 1_000);
}
