import { describe, expect, test } from '@jest/globals';
import type { PaymentTerms } from '../../src/domain/payment-verdict.ts';
import { lpAction, TEST_HASHES, TEST_RECIPIENTS, testVerdict } from '../../src/domain/sandbox-values.ts';

describe('the action of a simulated LP for a test recipient', () => {
  test.each([
    ['+99900000001', ['pay', 'pay']],
    ['+99900000003', ['noShow', 'pay', 'pay']],
    ['+99900000004', ['noShow', 'noShow', 'expire', 'expire']],
    ['+99900000007', ['wait', 'wait']],
  ])('%s depends on the number of failed claims, and the last action repeats', (recipient, actions) => {
    expect(actions.map((_, failedClaims) => lpAction(recipient, failedClaims))).toEqual(actions);
  });

  test('is undefined for other recipients, including names of inherited properties', () => {
    for (const recipient of ['+254700123456', '', 'toString', '__proto__'])
      expect(lpAction(recipient, 0)).toBeUndefined();
  });

  test('exists for each test recipient', () => {
    for (const recipient of Object.keys(TEST_RECIPIENTS)) expect(lpAction(recipient, 9)).toBeDefined();
  });
});

describe('the simulated chain’s verdict on a test transaction', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const terms: PaymentTerms = {
    ...{ symbol: 'usdt', recipient: 'T1', amount: '50.25' },
    ...{ notBefore: new Date('2025-12-31T00:00:00Z'), dueBy: null, platformMaySend: false },
  };
  test.each([
    ['sandbox-paid-1', 'verified'],
    ['sandbox-overpaid-1', 'invalid'],
    ['sandbox-underpaid-1', 'invalid'],
    ['sandbox-misdirected-1', 'invalid'],
    ['sandbox-pending-1', 'pending'],
    ['sandbox-missing-1', 'not_found'],
  ])('%s is %s', (hash, kind) => {
    expect(testVerdict(hash, terms, now)).toMatchObject({ kind });
  });

  test('is undefined for any other hash', () => {
    for (const hash of ['', 'ab12', 'a-sandbox-paid-1'])
      expect(testVerdict(hash, terms, now)).toBeUndefined();
  });

  test('has prefixes of which no one begins with another', () => {
    const prefixes = Object.keys(TEST_HASHES);
    for (const one of prefixes) expect(prefixes.filter((other) => other.startsWith(one))).toEqual([one]);
  });
});
