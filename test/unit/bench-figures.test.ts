import { describe, expect, test } from '@jest/globals';
import { reached } from '../../bench/comparison.ts';
import { percentile, spread } from '../../bench/figures.ts';
import { textFrame } from '../../bench/parts/frame.ts';
import { latencies } from '../../bench/parts/latencies.ts';
import { inTurn } from '../../bench/parts/part.ts';

test.each([
  [50, 3],
  [99, 5],
  [100, 5],
  [20, 1],
  [21, 2],
  [0, 1],
])('percentile %d of five figures is the smallest that this many do not exceed', (p, expected) => {
  expect(percentile([5, 3, 1, 4, 2], p)).toBe(expected);
});

test('a spread is the median, the minimum and the maximum', () => {
  expect(spread([9, 1, 4])).toEqual({ median: 4, min: 1, max: 9 });
  expect(spread([9, 1, 4, 5])).toEqual({ median: 4.5, min: 1, max: 9 });
  expect(() => percentile([], 50)).toThrow(RangeError);
});

test.each([
  [{ atLeast: 0.8, aim: 0.95, lower: false }, [0.95, 0.8, 0.79]],
  [{ atLeast: 50, aim: 20, lower: true }, [20, 50, 50.1]],
])('%j: figures that reach the aim, the goal, and neither', (bounds, figures) => {
  expect(figures.map((figure) => reached(bounds, figure))).toEqual(['aim', 'goal', 'missed']);
});

test('the two sides alternate in order', () => {
  expect([0, 1, 2].map((round) => inTurn(['a', 'b'], round)[0])).toEqual(['a', 'b', 'a']);
});

describe('deliveries of events', () => {
  const events = [
    { id: 7, at: 100 },
    { id: 8, at: 110 },
  ];

  test('are timed from their event', () => {
    const received = [
      { id: 7, at: 101 },
      { id: 8, at: 113 },
      { id: 7, at: 105 },
      { id: 8, at: 111 },
    ];
    expect(latencies(events, received, 2)).toEqual([1, 3, 5, 1]);
  });

  test.each([
    ['a missing delivery', [7, 8, 7]],
    ['a duplicate in place of another', [7, 7, 7, 8]],
    ['an unknown event', [7, 8, 7, 8, 9]],
  ])('%s is an error', (_, ids) => {
    const received = ids.map((id) => ({ id, at: 120 }));
    expect(() => latencies(events, received, 2)).toThrow(
      'Not every one of 2 sockets received each of 2 events exactly once',
    );
  });
});

test.each([1, 125, 126, 65_535])('a frame of %d bytes contains the length of its text', (length) => {
  const text = 'x'.repeat(length);
  const frame = textFrame(text);
  const head = length < 126 ? 2 : 4;
  expect(frame[0]).toBe(0x81);
  expect(length < 126 ? frame[1] : frame.readUInt16BE(2)).toBe(length);
  expect(frame.subarray(head).toString()).toBe(text);
});

test('a text that is too long for one frame is refused', () => {
  expect(() => textFrame('x'.repeat(65_536))).toThrow(RangeError);
});
