import { expect, test } from '@jest/globals';
import { attemptAll } from '../../src/temporal/attempt-all.ts';

/** What one round of upkeep reports of the items that it has tried. */

/** The number of items that succeeded in each batch, as reported, and how many were tried. */
async function attempt(items: number, fails: (item: number) => boolean) {
  const [reported, tried]: [number[], number[]] = [[], []];
  const all = attemptAll(
    Array.from({ length: items }, (_, item) => item),
    async (item) => {
      tried.push(item);
      if (fails(item)) throw new Error(`item ${item}`);
    },
    async (succeeded) => void reported.push(succeeded),
  );
  const failure = await all.then(
    () => null,
    (error: AggregateError) => error.errors.length,
  );
  return { reported, tried: tried.length, failure };
}

test.each<[string, number, (item: number) => boolean, Awaited<ReturnType<typeof attempt>>]>([
  ['without failures', 12, () => false, { reported: [10, 2], tried: 12, failure: null }],
  ['with one failure', 12, (item) => item === 3, { reported: [9, 2], tried: 12, failure: 1 }],
  ['with a failed batch, which skips the rest', 30, () => true, { reported: [], tried: 10, failure: 10 }],
  // No success, so upkeep must not look as if it worked.
  ['with a failed small batch', 2, () => true, { reported: [], tried: 2, failure: 2 }],
  ['with a failed last batch', 12, (item) => item >= 10, { reported: [10], tried: 12, failure: 2 }],
])('%s', async (_what, items, fails, expected) => {
  expect(await attempt(items, fails)).toEqual(expected);
});
