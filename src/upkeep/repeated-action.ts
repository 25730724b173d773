import { attemptAll } from '../temporal/attempt-all.ts';

export interface RepeatedAction<Item> {
  /** Identifies an item from one round to the next. */
  keyOf: (item: Item) => string;
  /** `times`: the number of earlier actions on the item. */
  run: (item: Item, times: number) => Promise<void>;
  /** How long to wait, in ms, before acting again on an item that is still present. */
  repeatAfterMs: (item: Item) => number;
}

/**
 * Returns a function that takes the items of one round and acts on those that were also in the previous round:
 * Temporal's lists lag, so one appearance proves nothing. It acts again after a while, as long as an item stays. It
 * rejects with an AggregateError when some actions failed; the next round tries those again.
 */
export function createRepeatedAction<Item>({
  keyOf,
  run,
  repeatAfterMs,
}: RepeatedAction<Item>): (items: readonly Item[]) => Promise<void> {
  let seen = new Map<string, { times: number; at: number }>();
  return async (items) => {
    const before = seen;
    seen = new Map(
      items.map((item) => [keyOf(item), before.get(keyOf(item)) ?? { times: 0, at: 0 }] as const),
    );
    const due = items.filter((item) => {
      const last = before.get(keyOf(item));
      return last !== undefined && Date.now() - last.at > repeatAfterMs(item);
    });
    await attemptAll(due, async (item) => {
      const times = before.get(keyOf(item))?.times ?? 0;
      await run(item, times);
      seen.set(keyOf(item), { times: times + 1, at: Date.now() });
    });
  };
}
