import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { remembered } from '../../src/api/remembered.ts';

let now = 0;
beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('work is done once for those who ask at the same time and for those who ask soon after', async () => {
  let done = 0;
  const ask = remembered(async () => {
    done += 1;
    return done;
  }, 10_000);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  now += 9_999;
  expect(await ask()).toBe(1);
  now += 1;
  expect(await ask()).toBe(2);
});

test('work that took long is good for longer', async () => {
  let done = 0;
  const ask = remembered(async () => {
    now += 2_000;
    done += 1;
    return done;
  }, 10_000);
  await ask();
  now += 37_999;
  expect(await ask()).toBe(1);
  now += 1;
  expect(await ask()).toBe(2);
});

test('a failure is told to all who waited for it, and not kept', async () => {
  let done = 0;
  const ask = remembered(async () => {
    done += 1;
    if (done === 1) throw new Error('away');
    return done;
  }, 10_000);
  const asked = await Promise.allSettled([ask(), ask()]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toBe(2);
});
