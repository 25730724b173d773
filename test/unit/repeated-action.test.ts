import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createRepeatedAction } from '../../src/operations/upkeep/repeated-action.ts';

const MINUTE_MS = 60_000;
let now = 0;
beforeEach(() => {
  now = 1_000_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** What the action did, in order: an item and the number of earlier actions on it. */
function recorded(fails: (item: string) => boolean = () => false) {
  const done: [string, number][] = [];
  const round = createRepeatedAction<string>({
    keyOf: (item) => item,
    repeatAfterMs: () => MINUTE_MS,
    run: async (item, times) => {
      if (fails(item)) throw new Error(`${item} failed`);
      done.push([item, times]);
    },
  });
  return { done, round };
}

test('one appearance proves nothing; it acts on the second, and again after a while', async () => {
  const { done, round } = recorded();
  await round(['a', 'b']);
  expect(done).toEqual([]);
  await round(['a']);
  await round(['a']);
  expect(done).toEqual([['a', 0]]);
  now += MINUTE_MS + 1;
  await round(['a']);
  expect(done).toEqual([
    ['a', 0],
    ['a', 1],
  ]);
});

test('an item that appears once in each lap of many rounds is acted on, and its actions are counted', async () => {
  const { done, round } = recorded();
  for (let lap = 0; lap < 4; lap++)
    for (let part = 0; part < 100; part++) {
      now += 3_000;
      await round([`part ${part}`]);
    }
  expect(done.filter(([item]) => item === 'part 50')).toEqual([
    ['part 50', 0],
    ['part 50', 1],
    ['part 50', 2],
  ]);
});

test('an item that has not appeared for a quarter of an hour is forgotten', async () => {
  const { done, round } = recorded();
  await round(['a', 'b']);
  now += 15 * MINUTE_MS;
  await round(['a']);
  expect(done).toEqual([['a', 0]]);
  now += 1;
  await round(['b']);
  expect(done).toEqual([['a', 0]]);
  await round(['b']);
  expect(done.at(-1)).toEqual(['b', 0]);
});

test('the items that appeared least recently are forgotten first if there are too many', async () => {
  const { done, round } = recorded();
  const many = Array.from({ length: 199_999 }, (_, n) => `item ${n}`);
  await round(['first', ...many]);
  await round(['last']);
  await round(['first', 'last']);
  expect(done).toEqual([['last', 0]]);
});

test('an action that failed is tried again at the next appearance, and the others are done', async () => {
  let isAway = true;
  const { done, round } = recorded((item) => item === 'a' && isAway);
  await round(['a', 'b']);
  await expect(round(['a', 'b'])).rejects.toThrow('1 of 2 orders failed');
  expect(done).toEqual([['b', 0]]);
  isAway = false;
  await round(['a', 'b']);
  expect(done).toEqual([
    ['b', 0],
    ['a', 0],
  ]);
});
