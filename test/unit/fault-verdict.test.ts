import { expect, test } from '@jest/globals';
import { minimumFaults } from '../../storms/faults/faults.ts';
import type { HarnessReport } from '../../storms/faults/harness.ts';
import { isSound, shortfallsOf } from '../../storms/faults/summary.ts';
import { lastCallsOf, lateOrders, unanswered } from '../../storms/kernel/order-ends.ts';

/** When a run of the fault harness counts as a proof. */
const SOUND: HarnessReport = {
  ...{ seed: 1, orders: 100, ends: new Map(), neverMade: 2, exits: new Map(), crashes: new Map() },
  ...{
    faults: new Map([
      ['link cut', 1],
      ['API killed', 0],
    ]),
    crashesByPart: { api: 1, worker: 1 },
  },
  minimum: { faults: 1, crashes: { api: 1, worker: 1 } },
  calls: { made: 400, attempts: 900, good: 350, failed: 500 },
  ...{ gaveUp: 80, webhooks: 100, breaches: [], stuck: [], durationMs: 1 },
};

test('a run with enough calls, faults and crashes and without a breach is sound', () => {
  expect(shortfallsOf(SOUND)).toEqual([]);
  expect(isSound(SOUND)).toBe(true);
});

test.each<[string, Partial<HarnessReport>]>([
  ['a breach', { breaches: [{ what: 'a', where: 'b', expected: 'c', found: 'd' }] }],
  ['a stuck order', { stuck: ['order 1: claimed, 0 pending webhooks'] }],
])('a run with %s is not sound', (_, changes) => {
  expect(isSound({ ...SOUND, ...changes })).toBe(false);
});

test.each<[Partial<HarnessReport>, string]>([
  [{ neverMade: 3 }, '3 of 100 payments were never made'],
  [{ gaveUp: 81 }, '81 of 400 calls were given up'],
  [{ faults: new Map([['link cut', 0]]) }, 'faults: 0, at least 1 required'],
  [{ crashesByPart: { api: 0, worker: 9 } }, 'crashes of the API at a crash point: 0, at least 1 required'],
  [
    { crashesByPart: { api: 9, worker: 0 } },
    'crashes of the worker at a crash point: 0, at least 1 required',
  ],
])('%j proves nothing', (changes, shortfall) => {
  expect(shortfallsOf({ ...SOUND, ...changes })).toEqual([shortfall]);
  expect(isSound({ ...SOUND, ...changes })).toBe(false);
});

test('a run without planned faults has no shortfall', () => {
  const minimum = { faults: 0, crashes: { api: 0, worker: 0 } };
  expect(isSound({ ...SOUND, minimum, faults: new Map(), crashesByPart: minimum.crashes })).toBe(true);
});

test.each([
  // The short storm of `.ci/run`, and the long ones.
  [{ density: 0.5, maxFaults: 60 }, 30_000, 1],
  [{ density: 0.15, maxFaults: 500 }, 240_000, 1],
  // There may be no time for a fault.
  [{ density: 0.5, maxFaults: 60 }, 6_000, 0],
  [{ density: 0, maxFaults: 60 }, 30_000, 0],
  [{ density: 1, maxFaults: 0 }, 30_000, 0],
])('with %j for %i ms, at least %i faults are injected', (options, maxDurationMs, minimum) => {
  expect(minimumFaults(options, maxDurationMs)).toBe(minimum);
});

const step = (trigger: string, orderId: number | null, endedAt: number, body: unknown = null) =>
  ({ trigger, orderId, endedAt: new Date(endedAt), body }) as never;

test("an order's last call may be its payment", () => {
  const log = [
    step('pay', null, 5, { order_id: 1 }),
    step('pay', null, 6, { order_id: 2 }),
    step('pay', null, 9),
  ];
  const claims = [step('claim', 2, 8), step('claim', 2, 7), step('deposit', null, 9, { deposit_id: 3 })];
  expect([...lastCallsOf([...log, ...claims])]).toEqual([
    [1, 5],
    [2, 8],
  ]);
});

test('an order is late by its own clock: from the end of the faults, its last call, or the start of the admin', () => {
  const clocks = {
    ...{ faultsEndedAt: 1_000, adminStartedAt: 50_000, endWithinMs: 10_000 },
    lastCalls: new Map([
      [1, 500],
      [2, 20_000],
    ]),
    endedByAdmin: new Set([3]),
  };
  const moved = (id: number, at: number) => lateOrders([{ id, at }], clocks);
  expect(moved(1, 11_000)).toEqual([]);
  expect(moved(1, 12_000)).toEqual(['order 1: ended only after 11 s']);
  expect(moved(2, 30_000)).toEqual([]);
  expect(moved(2, 31_000)).toEqual(['order 2: ended only after 11 s']);
  expect(moved(3, 60_000)).toEqual([]);
  expect(moved(3, 61_000)).toEqual(['order 3: ended only after 11 s']);
});

test('a call without a response long after the faults is stuck, one during the storm is not', () => {
  const attempt = (call: number, status: number | null, endedAt: number) =>
    ({ call, trigger: 'claim', orderId: 5, status, endedAt: new Date(endedAt) }) as never;
  const log = [
    ...[attempt(1, null, 900), attempt(1, 503, 11_000)],
    ...[attempt(2, null, 10_000), attempt(2, 503, 12_000)],
    ...[attempt(3, null, 11_500), attempt(3, 409, 12_000)],
  ];
  expect(unanswered(log, { faultsEndedAt: 1_000, endWithinMs: 10_000 })).toEqual([
    'call 2, claim of order 5: no response after 11 s',
  ]);
});
