import { setTimeout as delay } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Waits until `look` gives something true, and gives that; fails with what it gave last. */
export async function eventually<T>(look: () => Promise<T>, patienceMs = 60_000): Promise<Truthy<T>> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen as Truthy<T>;
    if (Date.now() > giveUpAt)
      throw new Error(`it did not come true within ${patienceMs} ms (last seen: ${String(seen)})`);
    await delay(25);
  }
}

/** Waits until `look` gives `wanted`. */
export async function eventuallyEquals<T>(
  look: () => Promise<T>,
  wanted: T,
  patienceMs = 60_000,
): Promise<void> {
  let seen: T | undefined;
  await eventually(async () => {
    seen = await look();
    return seen === wanted;
  }, patienceMs).catch(() => {
    throw new Error(`expected ${String(wanted)} within ${patienceMs} ms, last saw ${String(seen)}`);
  });
}
