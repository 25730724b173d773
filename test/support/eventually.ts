import { setTimeout as delay } from 'node:timers/promises';

/** One read of a row through the API takes some milliseconds of CPU. */
const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/**
 * Waits until `read` returns a truthy value, and returns it. Fails with the last value. Reads less and less often, so that
 * a long wait leaves the processor to those it waits for. It notices the value at most a tenth of the wait too late.
 */
export async function eventually<T>(read: () => Promise<T>, patienceMs = 60_000): Promise<Truthy<T>> {
  const startedAt = Date.now();
  for (;;) {
    const seen = await read();
    if (seen) return seen as Truthy<T>;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > patienceMs)
      throw new Error(`it did not come true within ${patienceMs} ms (last seen: ${String(seen)})`);
    await delay(Math.min(Math.max(waitedMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
}

/** Waits until `read` returns `wanted`. */
export async function eventuallyEquals<T>(
  read: () => Promise<T>,
  wanted: T,
  patienceMs = 60_000,
): Promise<void> {
  let seen: T | undefined;
  await eventually(async () => {
    seen = await read();
    return seen === wanted;
  }, patienceMs).catch(() => {
    throw new Error(`expected ${String(wanted)} within ${patienceMs} ms, last saw ${String(seen)}`);
  });
}
