import { setTimeout as delay } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Waits until `read` returns a truthy value, and returns it. Fails with the last value. */
export async function eventually<T>(read: () => Promise<T>, patienceMs = 60_000): Promise<Truthy<T>> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const seen = await read();
    if (seen) return seen as Truthy<T>;
    if (Date.now() > giveUpAt)
      throw new Error(`it did not come true within ${patienceMs} ms (last seen: ${String(seen)})`);
    await delay(25);
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
