import { expect, test } from '@jest/globals';
import { statusOf } from '../../src/cli/approvals.ts';

/** The status of a proposal, as `npm run admin -- approvals list` prints it. */

const expires_at = '2026-03-02T09:00:00Z';
const done = '2026-03-01T09:00:00Z';
const BEFORE = Date.parse('2026-03-01T10:00:00Z');

test.each([
  ['proposed', null, BEFORE, 'proposed'],
  ['proposed', null, Date.parse(expires_at), 'proposed, expired'],
  ['approved', done, BEFORE, 'approved'],
  ['approved', done, Date.parse(expires_at), 'approved'],
  // The service was not available when it was approved: the same admin can approve it again.
  ['approved', null, BEFORE, 'approved, not carried out'],
  ['approved', null, Date.parse(expires_at), 'approved, expired'],
  ['rejected', null, Date.parse(expires_at), 'rejected'],
] as const)('%s, carried out at %s, read at %s: %s', (status, carried_out_at, now, text) => {
  expect(statusOf({ status, carried_out_at, expires_at }, now)).toBe(text);
});
