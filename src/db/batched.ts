/** How long an item waits for the running batch, in ms, before a concurrent batch starts. */
const MAX_WAIT_MS = 5;

/**
 * Batches work that one round trip can do for many items. While nothing runs, the items of one turn of the event loop
 * start together. Items that arrive while a batch runs start together when it ends, or after `MAX_WAIT_MS`, so a
 * hanging batch delays no others. The number of round trips per item falls as the load grows.
 *
 * `work` gets at most `maxSize` items and returns a result for each, in the same order. If it fails, all of them fail.
 */
export function batched<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  maxSize: number,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length > 1) return;
      if (running === 0) setImmediate(startWaiting);
      else timer = setTimeout(startWaiting, MAX_WAIT_MS);
    });

  function startWaiting(): void {
    clearTimeout(timer);
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += maxSize) startBatch(all.slice(from, from + maxSize));
  }

  async function startBatch(batch: Waiting[]): Promise<void> {
    running += 1;
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running -= 1;
      if (running === 0) startWaiting();
    }
  }
}
