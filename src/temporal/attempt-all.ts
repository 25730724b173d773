/** Concurrent calls to Temporal. Catching up must not slow the orders that people are waiting for. */
const CONCURRENCY = 10;

/**
 * Does the work for every item, some at a time. A failed item does not stop the others: the promise rejects at the end,
 * with an AggregateError of all failures. If a whole batch fails, Temporal is unavailable, and the rest is skipped.
 * `afterBatch` receives how many items of a batch succeeded, if any did.
 */
export async function attemptAll<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  afterBatch: (succeeded: number) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const failures: unknown[] = [];
  for (let i = 0; i < items.length; i += CONCURRENCY) {
    const batch = items.slice(i, i + CONCURRENCY);
    const results = await Promise.allSettled(batch.map(work));
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    failures.push(...failed);
    if (failed.length === batch.length) break;
    await afterBatch(batch.length - failed.length);
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${items.length} orders failed`);
}
