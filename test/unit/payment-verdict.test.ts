import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CLOCK_TOLERANCE_MS, judgePayment, type PaymentTerms } from '../../src/domain/payment-verdict.ts';
import { isOffReference } from '../../src/domain/rate-check.ts';

const CREATED = Date.UTC(2026, 2, 1, 9);
const DUE = Date.UTC(2026, 2, 2, 9);
const TERMS: PaymentTerms = {
  symbol: 'usdt',
  recipient: 'TMyReceiveAddress',
  amount: '10.050000',
  notBefore: new Date(CREATED),
  dueBy: new Date(DUE),
};
const judge = (transfers: string[], atMs = CREATED + 1_000, changes: Partial<PaymentTerms> = {}) =>
  judgePayment({ ...TERMS, ...changes }, { at: new Date(atMs), transfers });

describe('a final transaction', () => {
  test('of exactly what is owed pays it, without a word', () => {
    expect(judge(['10.05'])).toEqual({ kind: 'verified', paid: '10.05', note: null });
  });

  test('of more pays it, and how much more is noted', () => {
    expect(judge(['10.050001'])).toMatchObject({
      kind: 'verified',
      note: 'The transaction pays 10.050001, 0.000001 more than is owed',
    });
  });

  test.each([
    ['10.0499999999', /pays 10.0499999999, not 10.050000/],
    ['0.000001', /pays 0.000001, not 10.050000/],
  ])('of %s does not', (amount, reason) => {
    expect(judge([amount])).toMatchObject({ kind: 'invalid', reason: expect.stringMatching(reason) });
  });

  test('with nothing for the recipient does not', () => {
    expect(judge([])).toEqual({
      kind: 'invalid',
      reason: 'The transaction pays no usdt to the address that it should',
    });
  });

  test('of several transfers pays by the smallest that is enough, and never by their sum', () => {
    expect(judge(['100', '10.05', '50', '1'])).toEqual({ kind: 'verified', paid: '10.05', note: null });
    expect(judge(['9', '10', '8'])).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/pays 10,/),
    });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10_049_999 }), { minLength: 1 }), (units) => {
        expect(judge(units.map((n) => (n / 1_000_000).toFixed(6))).kind).toBe('invalid');
      }),
    );
  });

  test('of far too much does not: it was meant for something else', () => {
    expect(judge(['10.1505'])).toMatchObject({ kind: 'verified' });
    expect(judge(['10.150501'])).toEqual({
      kind: 'invalid',
      reason: 'The transaction pays 10.150501, not 10.050000: too much to be meant for this',
    });
    expect(judge(['500', '10.05'])).toMatchObject({ kind: 'verified', paid: '10.05' });
  });

  test('from before what it should pay for does not, but for what clocks differ', () => {
    expect(judge(['10.05'], CREATED - CLOCK_TOLERANCE_MS).kind).toBe('verified');
    expect(judge(['10.05'], CREATED - CLOCK_TOLERANCE_MS - 1)).toEqual({
      kind: 'invalid',
      reason: 'The transaction is from 2026-03-01T08:58:59.999Z, before what it should pay for',
    });
  });

  test('after the deadline pays all the same, with a note', () => {
    expect(judge(['10.05'], DUE)).toMatchObject({ note: null });
    const late = 'The payment was made at 2026-03-02T09:00:00.001Z, after its deadline';
    expect(judge(['10.05'], DUE + 1)).toEqual({ kind: 'verified', paid: '10.05', note: late });
    const both = `The transaction pays 10.1, 0.05 more than is owed. ${late}`;
    expect(judge(['10.1'], DUE + 1)).toMatchObject({ kind: 'verified', note: both });
    expect(judge(['10.05'], DUE + 1, { dueBy: null })).toMatchObject({ note: null });
  });

  test('of the most that a chain can write is compared exactly', () => {
    const most = (2n ** 256n - 1n).toString();
    expect(judge([most], undefined, { amount: most })).toMatchObject({ kind: 'verified', note: null });
    expect(judge([`${BigInt(most) - 1n}`], undefined, { amount: most }).kind).toBe('invalid');
  });
});

describe('a rate beside its reference', () => {
  test.each([
    ['129.5', '129.5', false],
    ['142.45', '129.5', false],
    ['142.45000001', '129.5', true],
    ['116.55', '129.5', false],
    ['116.54999999', '129.5', true],
    ['0.00000001', '1', true],
  ])('%s is beside %s far off: %p', (rate, reference, off) => {
    expect(isOffReference(rate, reference)).toBe(off);
  });
});
