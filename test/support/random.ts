import { randomInt } from 'node:crypto';

/** A source of random choices, the same for the same seed. */
export interface Random {
  /** At least 0 and less than 1. */
  next: () => number;
  /** A whole number from `min` to `max`, both included. */
  integer: (min: number, max: number) => number;
  chance: (probability: number) => boolean;
  pick: <T>(from: readonly T[]) => T;
  /** Picks by weight. */
  weighted: <T>(from: readonly T[], weight: (one: T) => number) => T;
}

/**
 * The seed in the environment variable `name`, or that of the run (`jest.config.js`), or a new one where Jest does not run.
 */
export const seedFrom = (name: string): number =>
  Number(process.env[name] ?? process.env.TEST_SEED ?? randomInt(2 ** 31));

/** The same for `test/system`: each run has a new seed, and prints it. */
export const newSeedFrom = (name: string): number =>
  Number(process.env[name] ?? process.env.TEST_SYSTEM_SEED ?? randomInt(2 ** 31));

/** Mulberry32: 32 bits of state are enough for a test. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer: Random['integer'] = (min, max) => min + Math.floor(next() * (max - min + 1));
  const at = <T>(from: readonly T[], i: number): T => {
    if (i >= from.length) throw new RangeError('There is nothing to pick from');
    return from[i] as T;
  };
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (from) => at(from, integer(0, from.length - 1)),
    weighted: (from, weight) => {
      let left = next() * from.reduce((sum, one) => sum + weight(one), 0);
      const chosen = from.findIndex((one) => {
        left -= weight(one);
        return left < 0;
      });
      return at(from, chosen < 0 ? from.length - 1 : chosen);
    },
  };
}
