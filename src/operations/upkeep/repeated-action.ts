import { attemptAll } from '../../temporal/attempt-all.ts';

export interface RepeatedAction<Item> {
  /**
   * Identifies an item from one round to the next. Two appearances count however many rounds lie between them, so an item that
   * was well in between must have another key.
   */
  keyOf: (item: Item) => string;
  /** `times`: the number of earlier actions on the item. */
  run: (item: Item, times: number) => Promise<void>;
  /** How long to wait, in ms, before acting again on an item that is still present. */
  repeatAfterMs: (item: Item) => number;
}

/**
 * Longer than an item stays away because other items have their turn. With 100,000 open orders, a round every 3 s reads a thousand,
 * so each order has its turn after 5 minutes. It is three times as long, because a round with much to do takes longer.
 */
const REMEMBERED_FOR_MS = 15 * 60_000;
/** Some 40 MB. With more, the items that appeared least recently are forgotten early, and wait for two later appearances. */
const MOST_REMEMBERED = 200_000;

interface Seen {
  times: number;
  /** When the last action was. 0: there was none. */
  at: number;
  seenAt: number;
}

/**
 * Returns a function that takes the items of one round and acts on those that an earlier round has had: Temporal's lists lag, so
 * one appearance proves nothing. A round need not have all items: one that is absent is remembered for a while. The function
 * acts again after a while, as long as an item appears. It rejects with an AggregateError when some actions failed; the item's
 * next appearance tries those again.
 */
export function createRepeatedAction<Item>({
  keyOf,
  run,
  repeatAfterMs,
}: RepeatedAction<Item>): (items: readonly Item[]) => Promise<void> {
  /** Those that appeared least recently are first. */
  const seen = new Map<string, Seen>();
  return async (items) => {
    const now = Date.now();
    forgetOld(seen, now);
    const due = items.filter((item) => {
      const last = seen.get(keyOf(item));
      return last !== undefined && now - last.at > repeatAfterMs(item);
    });
    for (const item of items) {
      const key = keyOf(item);
      const { times, at } = seen.get(key) ?? { times: 0, at: 0 };
      seen.delete(key);
      seen.set(key, { times, at, seenAt: now });
    }
    await attemptAll(due, async (item) => {
      const last = seen.get(keyOf(item)) ?? { times: 0, seenAt: now };
      await run(item, last.times);
      seen.set(keyOf(item), { ...last, times: last.times + 1, at: Date.now() });
    });
  };
}

function forgetOld(seen: Map<string, Seen>, now: number): void {
  for (const [key, { seenAt }] of seen) {
    if (now - seenAt <= REMEMBERED_FOR_MS && seen.size <= MOST_REMEMBERED) return;
    seen.delete(key);
  }
}
