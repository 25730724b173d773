import { expect, test } from '@jest/globals';
import { createShares } from '../../activities/shares.ts';

test('a key has its share and no more, whatever the others have', () => {
  const { take } = createShares(2);
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

test('what was given back can be taken again, as a whole', () => {
  const { take } = createShares(3);
  for (let round = 0; round < 3; round++) {
    const all = Array.from({ length: 4 }, () => take(7));
    expect(all.map((one) => one !== undefined)).toEqual([true, true, true, false]);
    for (const giveBack of all) giveBack?.();
  }
});

test('what is given back twice counts once', () => {
  const { take } = createShares(2);
  const giveBack = take(1);
  giveBack?.();
  giveBack?.();
  expect([take(1), take(1), take(1)].map((one) => one !== undefined)).toEqual([true, true, false]);
});
