import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createDisguise } from '../../docs/generate/examples/disguise.ts';

const START = Date.parse('2026-11-22T17:00:05.250Z');
const later = (ms: number) => new Date(START + ms).toISOString();

let now: number;
let disguise: ReturnType<typeof createDisguise>;
beforeEach(() => {
  now = START;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  disguise = createDisguise({ 'http://127.0.0.1:4711': 'http://localhost:8080' });
  disguise.startStep();
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('a secret becomes a number of the same length, the same one wherever it occurs', () => {
  const [first, second] = [`lp_${'ab'.repeat(24)}`, `lp_${'cd'.repeat(24)}`];
  const url = `http://127.0.0.1:4711/api/lp/${first}/rates`;
  expect(disguise.apply({ first, second, url })).toEqual({
    first: `lp_${'1'.padStart(48, '0')}`,
    second: `lp_${'2'.padStart(48, '0')}`,
    url: `http://localhost:8080/api/lp/lp_${'1'.padStart(48, '0')}/rates`,
  });
});

test('the body of a webhook, which is JSON within a text, is disguised too', () => {
  const key = `lp_${'ab'.repeat(24)}`;
  expect(disguise.apply({ body: JSON.stringify({ at: later(40), data: { key } }) })).toEqual({
    body: `{"at":"2026-01-05T09:00:00.000Z","data":{"key":"lp_${'1'.padStart(48, '0')}"}}`,
  });
});

test('a time in the run becomes the start of its step, and a deadline keeps its distance', () => {
  expect(disguise.apply([later(40), later(1_800_040)])).toEqual([
    '2026-01-05T09:00:00.000Z',
    '2026-01-05T09:30:00.000Z',
  ]);
  now = START + 700;
  disguise.startStep();
  expect(disguise.apply([later(40), later(720), later(1_800_040)])).toEqual([
    '2026-01-05T09:00:00.000Z',
    '2026-01-05T09:00:10.000Z',
    '2026-01-05T09:30:00.000Z',
  ]);
});

test('counts days from the day of the run', () => {
  expect(disguise.apply(['2026-11-22', '2026-11-21'])).toEqual(['2026-01-05', '2026-01-04']);
});

test('cursors keep their order, durations are fixed, and a long list keeps its last entries', () => {
  expect(disguise.apply({ cursor: '8012.3.1', next: '8015.0.0', duration_ms: 731 })).toEqual({
    cursor: '1000.3.1',
    next: '1003.0.0',
    duration_ms: 10,
  });
  expect(disguise.apply(Array.from({ length: 60 }, (_, index) => index))).toEqual([58, 59]);
});
