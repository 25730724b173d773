import { expect, test } from '@jest/globals';
import { createMessageLimit } from '../../src/notify/feed/message-limit.ts';

test('this many messages are within the limit in any minute', () => {
  const within = createMessageLimit(3, 60_000);
  expect([0, 10, 50_000].map(within)).toEqual([true, true, true]);
  expect(within(59_999)).toBe(false);
  expect(within(110_000)).toBe(true);
});

test('messages beyond the limit count as well', () => {
  const within = createMessageLimit(2, 1_000);
  expect([0, 1, 900, 1_800, 2_900].map(within)).toEqual([true, true, false, true, true]);
  const insistent = createMessageLimit(2, 1_000);
  expect([0, 400, 800, 1_200, 1_600].map(insistent)).toEqual([true, true, false, false, false]);
});
