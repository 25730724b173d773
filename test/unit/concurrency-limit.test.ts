import { expect, test } from '@jest/globals';
import { createConcurrencyLimit } from '../../activities/limits.ts';

test('a key gets at most its own slots, however many other keys use', () => {
  const { take } = createConcurrencyLimit(2);
  const [first, second] = [take(1), take(1)];
  expect(take(1)).toBeUndefined();
  expect(take(2)).toEqual(expect.any(Function));
  first?.();
  const third = take(1);
  expect(third).toEqual(expect.any(Function));
  expect(take(1)).toBeUndefined();
  second?.();
  third?.();
});

test('all freed slots can be used again', () => {
  const { take } = createConcurrencyLimit(3);
  for (let round = 0; round < 3; round++) {
    const all = Array.from({ length: 4 }, () => take(7));
    expect(all.map((one) => one !== undefined)).toEqual([true, true, true, false]);
    for (const free of all) free?.();
  }
});

test('freeing a slot twice counts once', () => {
  const { take } = createConcurrencyLimit(2);
  const free = take(1);
  free?.();
  free?.();
  expect([take(1), take(1), take(1)].map((one) => one !== undefined)).toEqual([true, true, false]);
});
