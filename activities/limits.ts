/** Limits how much work of each key runs at the same time. Work beyond the limit is refused. */
export interface ConcurrencyLimit {
  /** Takes a slot for this key and returns the function that frees it. Undefined: the key has no slot left. */
  take: (key: number) => (() => void) | undefined;
}

export function createConcurrencyLimit(maxPerKey: number): ConcurrencyLimit {
  const taken = new Map<number, number>();
  return {
    take: (key) => {
      const before = taken.get(key) ?? 0;
      if (before >= maxPerKey) return undefined;
      taken.set(key, before + 1);
      return () => {
        const left = (taken.get(key) ?? 0) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}

/** Limits how much work of each key runs at the same time. Work beyond the limit waits, first come, first served. */
export type KeyedQueues = <T>(key: number, work: () => Promise<T>) => Promise<T>;

interface Queue {
  underWay: number;
  waiting: (() => void)[];
}

export function createKeyedQueues(maxPerKey: number): KeyedQueues {
  const queues = new Map<number, Queue>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { underWay: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.underWay < maxPerKey) queue.underWay += 1;
    else await new Promise<void>((proceed) => queue.waiting.push(proceed));
    try {
      return await work();
    } finally {
      // The next in the queue takes over this slot, so that work that arrives now cannot overtake it.
      const next = queue.waiting.shift();
      if (next) next();
      else if (--queue.underWay === 0) queues.delete(key);
    }
  };
}
