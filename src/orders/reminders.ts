/** Temporal may lose what a workflow was told; telling it again sooner only burdens workers that are too slow already. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Acts on what is seen at two looks, for Temporal's lists lag, and again after a while for as long as it is seen.
 * `remind` is told how often it has been done for the item. Each look gives why some could not be seen to; they must
 * not keep the others from it.
 */
export function createReminders<Item>(
  keyOf: (item: Item) => string,
  remind: (item: Item, times: number) => Promise<void>,
  againAfterMs = AGAIN_AFTER_MS,
): (items: Item[]) => Promise<unknown[]> {
  let seen = new Map<string, { times: number; at: number }>();
  return async (items) => {
    const failures: unknown[] = [];
    const now: typeof seen = new Map();
    for (const item of items) {
      const key = keyOf(item);
      const before = seen.get(key);
      const { times, at } = before ?? { times: 0, at: 0 };
      now.set(key, { times, at });
      if (!before || Date.now() - at <= againAfterMs) continue;
      try {
        await remind(item, times);
        now.set(key, { times: times + 1, at: Date.now() });
      } catch (error) {
        failures.push(error);
      }
    }
    seen = now;
    return failures;
  };
}
