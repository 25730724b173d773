import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { durationText, parseDuration } from '../../src/domain/duration.ts';

test.each([
  [1, '1ms'],
  [5_000, '5s'],
  [5_500, '5500ms'],
  [600_000, '10m'],
  [7_200_000, '2h'],
  [90_000_000, '25h'],
  [86_400_000, '1d'],
])('%i ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('the text of a duration is read as the same duration', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), (ms) => expect(parseDuration(durationText(ms))).toBe(ms)),
  );
});

test.each(['', '5', '5 m', '-5m', '1.5h', '5w'])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
