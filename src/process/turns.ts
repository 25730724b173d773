/** Does work when it is its turn. Throws if too much waits, or if it has waited for too long; then it does nothing. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export interface TurnRules {
  /** How much work runs at the same time. */
  places: number;
  /** How much may wait for a place. Default: any number. */
  mostWaiting?: number;
  /** How long work may wait for a place, in ms. Default: any time. */
  longestWaitMs?: number;
  /** Makes the error for work that may not wait, or no longer. */
  refuse?: () => Error;
}

/** Runs work that arrives at the same time a few at a time, first come, first served. */
export function createTurns(rules: TurnRules): Turns {
  const { places, mostWaiting = Number.POSITIVE_INFINITY, longestWaitMs } = rules;
  const { refuse = () => new Error('Too much work waits') } = rules;
  const waiting = new Set<() => void>();
  let taken = 0;

  function waitForPlace(): Promise<void> {
    if (waiting.size >= mostWaiting) throw refuse();
    return new Promise((resolve, reject) => {
      const proceed = () => {
        clearTimeout(tooLong);
        waiting.delete(proceed);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(proceed);
        reject(refuse());
      };
      const tooLong = longestWaitMs === undefined ? undefined : setTimeout(giveUp, longestWaitMs);
      waiting.add(proceed);
    });
  }

  return async (work) => {
    if (taken < places) taken += 1;
    else await waitForPlace();
    try {
      return await work();
    } finally {
      // The next one takes over this place, so that work that arrives now cannot overtake it.
      const [next] = waiting;
      if (next) next();
      else taken -= 1;
    }
  };
}

/** Does work when it is the turn of its key. */
export type TurnsByKey<Key> = <T>(key: Key, work: () => Promise<T>) => Promise<T>;

/** Turns of each key's own. A key without work takes no memory. */
export function createTurnsByKey<Key>(rules: TurnRules): TurnsByKey<Key> {
  const byKey = new Map<Key, { turns: Turns; inside: number }>();
  return async (key, work) => {
    const own = byKey.get(key) ?? { turns: createTurns(rules), inside: 0 };
    byKey.set(key, own);
    own.inside += 1;
    try {
      return await own.turns(work);
    } finally {
      own.inside -= 1;
      if (own.inside === 0) byKey.delete(key);
    }
  };
}
