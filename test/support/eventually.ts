import { setTimeout as delay } from 'node:timers/promises';

/** One read of a row through the API takes some milliseconds of CPU. */
const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/**
 * Waits until `read` returns a truthy value, and returns it. Fails with the last value. It reads less often the longer it
 * waits, so that it takes little CPU time from the processes that it waits for. It returns at most 10 % too late.
 */
export async function eventually<T>(read: () => Promise<T>, timeoutMs = 60_000): Promise<Truthy<T>> {
  const startedAt = Date.now();
  for (;;) {
    const seen = await read();
    if (seen) return seen as Truthy<T>;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs)
      throw new Error(`it did not come true within ${timeoutMs} ms (last seen: ${String(seen)})`);
    await delay(Math.min(Math.max(waitedMs / 10, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
}

/** Waits until `read` returns `wanted`. */
export async function eventuallyEquals<T>(
  read: () => Promise<T>,
  wanted: T,
  timeoutMs = 60_000,
): Promise<void> {
  let seen: T | undefined;
  await eventually(async () => {
    seen = await read();
    return seen === wanted;
  }, timeoutMs).catch(() => {
    throw new Error(`expected ${String(wanted)} within ${timeoutMs} ms, last saw ${String(seen)}`);
  });
}
