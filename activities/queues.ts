/** Does the work when those of the same key that came before leave room for it. */
export type Queues = <T>(key: number, work: () => Promise<T>) => Promise<T>;

interface Queue {
  underWay: number;
  waiting: (() => void)[];
}

/** At most `most` of one key are under way at the same time; others wait, in the order in which they came. */
export function createQueues(most: number): Queues {
  const queues = new Map<number, Queue>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { underWay: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.underWay < most) queue.underWay += 1;
    else await new Promise<void>((goOn) => queue.waiting.push(goOn));
    try {
      return await work();
    } finally {
      // Whoever is next takes this one's place, so that nobody who comes now can slip in between.
      const next = queue.waiting.shift();
      if (next) next();
      else if (--queue.underWay === 0) queues.delete(key);
    }
  };
}
