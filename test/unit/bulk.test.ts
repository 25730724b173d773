import { expect, test } from '@jest/globals';
import { BULK_ACTIONS, BULK_PERMISSION, bulkState } from '../../src/domain/bulk.ts';
import { reasonOf, reasonText } from '../../src/domain/status-reasons.ts';
import { bulkCommand, bulkRequestId } from '../../src/operations/bulk/command.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const PREPARED = { expires_at: at(30), started_at: null, stopped_at: null, finished_at: null };

test.each([
  ['prepared', {}],
  ['stopped', { stopped_at: at(1) }],
  ['running', { started_at: at(1) }],
  ['stopping', { started_at: at(1), stopped_at: at(2) }],
  ['stopped', { started_at: at(1), stopped_at: at(2), finished_at: at(3) }],
  ['finished', { started_at: at(1), finished_at: at(3) }],
])('a run is %s after %j', (state, times) => {
  expect(bulkState({ ...PREPARED, ...times }, at(10))).toBe(state);
});

test('a dry run expires unless it has started', () => {
  expect(bulkState(PREPARED, at(30))).toBe('expired');
  expect(bulkState({ ...PREPARED, started_at: at(29) }, at(31))).toBe('running');
});

test('each action needs the permission of its single command', () => {
  for (const action of BULK_ACTIONS)
    expect(BULK_PERMISSION[action]).toBe(action === 'redeliver' ? 'webhooks:redeliver' : 'orders:operate');
});

test('the reason names the run and fits into an event', () => {
  const note = (text: string, run: number) => reasonText(reasonOf('bulk_note', { text, run }));
  expect(note('The network is down', 7)).toBe('The network is down (bulk run 7)');
  expect(note('x'.repeat(300), Number.MAX_SAFE_INTEGER).length).toBeLessThan(500);
});

test('the deadline of an extension follows from the order’s own, and never lies in the past', () => {
  const now = at(10).getTime();
  const order = (minute: number | null) => ({
    timeout_at: minute === null ? null : at(minute),
    user_crypto_tx_hash: null,
  });
  const by = { action: 'extend' as const, arguments: { by_ms: 5 * 60_000 } };
  expect(bulkCommand(by, order(20), 0, now)).toEqual({ trigger: 'extend', until: at(25).toISOString() });
  expect(bulkCommand(by, order(null), 0, now)).toEqual({ trigger: 'extend', until: at(15).toISOString() });
  expect(bulkCommand(by, order(5), 0, now)).toBeNull();
  // Its clock has stood still for the 10 minutes before now.
  expect(bulkCommand(by, order(5), 10 * 60_000, now)).toEqual({
    trigger: 'extend',
    until: at(20).toISOString(),
  });
  const until = { action: 'extend' as const, arguments: { until: at(40).toISOString() } };
  expect(bulkCommand(until, order(20), 10 * 60_000, now)).toEqual({
    trigger: 'extend',
    until: at(40).toISOString(),
  });
});

test('a request’s id depends on the run’s token and the order, and is none of the API’s', () => {
  const [one, other] = [{ token: 'a' }, { token: 'b' }];
  expect(bulkRequestId(one, 1)).toBe(bulkRequestId(one, 1));
  expect(new Set([bulkRequestId(one, 1), bulkRequestId(one, 2), bulkRequestId(other, 1)]).size).toBe(3);
  expect(bulkRequestId(one, 1)).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
});
