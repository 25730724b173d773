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
