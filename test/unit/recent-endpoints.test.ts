import { expect, test } from '@jest/globals';
import { createRecentEndpoints } from '../../activities/recent-endpoints.ts';

const MINUTE_MS = 60_000;

test('an unknown endpoint does not count as fast', () => {
  expect(createRecentEndpoints().isRecentlyFast('a')).toBe(false);
});

test('the last response of each endpoint decides', () => {
  const endpoints = createRecentEndpoints();
  endpoints.recordAnswer('a', 20);
  endpoints.recordAnswer('b', 2_000);
  expect([endpoints.isRecentlyFast('a'), endpoints.isRecentlyFast('b')]).toEqual([true, false]);
  endpoints.recordAnswer('a', Number.POSITIVE_INFINITY);
  endpoints.recordAnswer('b', 0);
  expect([endpoints.isRecentlyFast('a'), endpoints.isRecentlyFast('b')]).toEqual([false, true]);
});

test('an endpoint without a response for a long time is forgotten', () => {
  let now = 0;
  const endpoints = createRecentEndpoints(() => now);
  endpoints.recordAnswer('a', 20);
  now = 9 * MINUTE_MS;
  endpoints.recordAnswer('b', 20);
  expect(endpoints.isRecentlyFast('a')).toBe(true);
  now = 11 * MINUTE_MS;
  expect([endpoints.isRecentlyFast('a'), endpoints.isRecentlyFast('b')]).toEqual([false, true]);
});

test('of too many endpoints, the one with the oldest response is forgotten first', () => {
  const endpoints = createRecentEndpoints();
  endpoints.recordAnswer('first', 1);
  endpoints.recordAnswer('second', 1);
  endpoints.recordAnswer('first', 1);
  for (let n = 0; n < 9_999; n++) endpoints.recordAnswer(`endpoint ${n}`, 1);
  expect([
    endpoints.isRecentlyFast('second'),
    endpoints.isRecentlyFast('first'),
    endpoints.isRecentlyFast('endpoint 9998'),
  ]).toEqual([false, true, true]);
});
