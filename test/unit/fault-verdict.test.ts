import { expect, test } from '@jest/globals';
import { leastFaults } from '../faults-harness/faults.ts';
import type { HarnessReport } from '../faults-harness/harness.ts';
import { lastStepsOf, lateOrders, unanswered } from '../faults-harness/order-ends.ts';
import { isSound, lackOf } from '../faults-harness/summary.ts';

/** When a run of the harness of faults counts as a proof. */
const SOUND: HarnessReport = {
  ...{ seed: 1, orders: 100, ends: new Map(), neverMade: 2, exits: new Map(), crashes: new Map() },
  ...{
    faults: new Map([
      ['wire cut', 1],
      ['API killed', 0],
    ]),
    deaths: { api: 1, worker: 1 },
  },
  least: { faults: 1, deaths: { api: 1, worker: 1 } },
  calls: { made: 400, attempts: 900, good: 350, failed: 500 },
  ...{ gaveUp: 80, webhooks: 100, breaches: [], stuck: [], durationMs: 1 },
};

test('a run with enough of everything and without a breach is sound', () => {
  expect(lackOf(SOUND)).toEqual([]);
  expect(isSound(SOUND)).toBe(true);
});

test.each<[string, Partial<HarnessReport>]>([
  ['a breach', { breaches: [{ what: 'a', where: 'b', expected: 'c', found: 'd' }] }],
  ['a stuck order', { stuck: ['order 1: claimed, owes 0 webhooks'] }],
])('%s', (_, changes) => {
  expect(isSound({ ...SOUND, ...changes })).toBe(false);
});

test.each<[Partial<HarnessReport>, string]>([
  [{ neverMade: 3 }, '3 of 100 payments were never made'],
  [{ gaveUp: 81 }, '81 of 400 calls were given up'],
  [{ faults: new Map([['wire cut', 0]]) }, '0 faults have struck, and 1 had to'],
  [{ deaths: { api: 0, worker: 9 } }, '0 deaths of an API at a crash point, and 1 had to be'],
  [{ deaths: { api: 9, worker: 0 } }, '0 deaths of a worker at a crash point, and 1 had to be'],
])('%j proves nothing', (changes, lack) => {
  expect(lackOf({ ...SOUND, ...changes })).toEqual([lack]);
  expect(isSound({ ...SOUND, ...changes })).toBe(false);
});

test('a run without planned faults misses none', () => {
  const least = { faults: 0, deaths: { api: 0, worker: 0 } };
  expect(isSound({ ...SOUND, least, faults: new Map(), deaths: least.deaths })).toBe(true);
});

test.each([
  // The short storm of every change, and the long ones.
  [{ density: 0.5, mostFaults: 60 }, 30_000, 1],
  [{ density: 0.15, mostFaults: 500 }, 240_000, 1],
  // There may be no time for one.
  [{ density: 0.5, mostFaults: 60 }, 6_000, 0],
  [{ density: 0, mostFaults: 60 }, 30_000, 0],
  [{ density: 1, mostFaults: 0 }, 30_000, 0],
])('of %j in %i ms at least %i faults strike', (options, longestMs, least) => {
  expect(leastFaults(options, longestMs)).toBe(least);
});

const step = (trigger: string, orderId: number | null, endedAt: number, body: unknown = null) =>
  ({ trigger, orderId, endedAt: new Date(endedAt), body }) as never;

test("an order's last step is the end of its callers' last call, which may be its payment", () => {
  const log = [
    step('pay', null, 5, { order_id: 1 }),
    step('pay', null, 6, { order_id: 2 }),
    step('pay', null, 9),
  ];
  const claims = [step('claim', 2, 8), step('claim', 2, 7), step('deposit', null, 9, { deposit_id: 3 })];
  expect([...lastStepsOf([...log, ...claims])]).toEqual([
    [1, 5],
    [2, 8],
  ]);
});

test('an order is late by its own clock: from the recovery, its last step, or the action of an admin', () => {
  const clocks = {
    ...{ mendedAt: 1_000, adminCameAt: 50_000, restWithinMs: 10_000 },
    lastSteps: new Map([
      [1, 500],
      [2, 20_000],
    ]),
    askedFor: new Set([3]),
  };
  const moved = (id: number, at: number) => lateOrders([{ id, at }], clocks);
  expect(moved(1, 11_000)).toEqual([]);
  expect(moved(1, 12_000)).toEqual(['order 1: at rest only after 11 s']);
  expect(moved(2, 30_000)).toEqual([]);
  expect(moved(2, 31_000)).toEqual(['order 2: at rest only after 11 s']);
  expect(moved(3, 60_000)).toEqual([]);
  expect(moved(3, 61_000)).toEqual(['order 3: at rest only after 11 s']);
});

test('a call without an answer long after the recovery is stuck, one during the storm is not', () => {
  const attempt = (call: number, status: number | null, endedAt: number) =>
    ({ call, trigger: 'claim', orderId: 5, status, endedAt: new Date(endedAt) }) as never;
  const log = [
    ...[attempt(1, null, 900), attempt(1, 503, 11_000)],
    ...[attempt(2, null, 10_000), attempt(2, 503, 12_000)],
    ...[attempt(3, null, 11_500), attempt(3, 409, 12_000)],
  ];
  expect(unanswered(log, { mendedAt: 1_000, restWithinMs: 10_000 })).toEqual([
    'call 2, claim of order 5: no answer after 11 s',
  ]);
});
