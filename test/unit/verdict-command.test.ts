import { expect, test } from '@jest/globals';
import { verdictCommand } from '../../src/domain/payment-verdict.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';

const LATE = reasonOf('paid_late', { at: '2026-03-02T09:00:00.001Z' });
const WRONG = reasonOf('other_address');

test('a verified payment completes the version that was checked, with its note', () => {
  expect(verdictCommand({ kind: 'verified', note: LATE }, 6)).toEqual({
    ...{ trigger: 'verified', version: 6, note: LATE },
  });
});

test('an invalid payment rejects the transaction of the version that was checked, with the reason', () => {
  expect(verdictCommand({ kind: 'invalid', reason: WRONG }, 6)).toEqual({
    ...{ trigger: 'invalid', version: 6, reason: WRONG },
  });
});
