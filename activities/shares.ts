/** Counts what is under way by whom it is for. */
export interface Shares {
  /** Takes one more for this key, and gives what gives it back; undefined when the key has its share. */
  take: (key: number) => (() => void) | undefined;
}

/** Shares of something scarce: at most `most` for each key at the same time. */
export function createShares(most: number): Shares {
  const taken = new Map<number, number>();
  return {
    take: (key) => {
      const before = taken.get(key) ?? 0;
      if (before >= most) return undefined;
      taken.set(key, before + 1);
      return () => {
        const left = (taken.get(key) ?? 0) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}
