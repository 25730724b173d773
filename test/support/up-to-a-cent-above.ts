import { expect } from '@jest/globals';

/** Matches an amount up to a cent above this one. The exact amount of a deposit is in this range. */
export const upToACentAbove = (usd: number) => expect.closeTo(usd + 0.005, 1.9);
