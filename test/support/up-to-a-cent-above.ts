import { expect } from '@jest/globals';

/** Matches an amount or less than a cent above it, as the exact amount of a deposit is. */
export const upToACentAbove = (usd: number) => expect.closeTo(usd + 0.005, 1.9);
