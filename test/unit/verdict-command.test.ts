import { expect, test } from '@jest/globals';
import { verdictCommand } from '../../src/domain/payment-verdict.ts';

test('a verified payment completes the version that was checked, with its note', () => {
  expect(verdictCommand({ kind: 'verified', note: 'late' }, 6)).toEqual({
    ...{ trigger: 'verified', version: 6, note: 'late' },
  });
});

test('an invalid payment rejects the transaction of the version that was checked, with the reason', () => {
  expect(verdictCommand({ kind: 'invalid', reason: 'it pays nobody' }, 6)).toEqual({
    ...{ trigger: 'invalid', version: 6, reason: 'it pays nobody' },
  });
});
