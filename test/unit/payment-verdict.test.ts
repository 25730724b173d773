import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { earliestBlock, judgePayment, type PaymentTerms } from '../../src/domain/payment-verdict.ts';
import { isOffReference } from '../../src/domain/rate-check.ts';
import { shownVerdict } from '../support/shown-verdict.ts';

const CREATED = Date.UTC(2026, 2, 1, 9);
const DUE = Date.UTC(2026, 2, 2, 9);
const TERMS: PaymentTerms = {
  symbol: 'usdt',
  recipient: 'TMyReceiveAddress',
  amount: '10.050000',
  notBefore: new Date(CREATED),
  dueBy: new Date(DUE),
  platformMaySend: false,
};
const judge = (transfers: string[], atMs = CREATED + 1_000, changes: Partial<PaymentTerms> = {}) =>
  shownVerdict(
    judgePayment(
      { ...TERMS, ...changes },
      { at: new Date(atMs), transfers: transfers.map((amount) => ({ amount, platformSender: null })) },
    ),
  );

describe('a final transaction', () => {
  test('of exactly the amount due is verified, without a note', () => {
    expect(judge(['10.05'])).toEqual({ kind: 'verified', paid: '10.05', note: null });
  });

  test.each([
    ['10.050001', '0.000001 more'],
    ['10.049999', '0.000001 less'],
    ['10.0499999999', '0.0000000001 less'],
    ['20.1', '10.05 more'],
    ['0.000001', '10.049999 less'],
  ])('of %s does not, and the reason names both amounts', (amount, gap) => {
    expect(judge([amount])).toEqual({
      kind: 'invalid',
      reason: `The transaction pays ${amount} usdt, not exactly 10.05: ${gap} than is asked for`,
    });
  });

  test('with no transfer to the recipient is invalid', () => {
    expect(judge([])).toEqual({
      kind: 'invalid',
      reason: 'The transaction pays no usdt to the address that it should',
    });
  });

  test('of several transfers pays by the one of exactly the amount, and never by their sum', () => {
    expect(judge(['100', '10.05', '50', '1'])).toEqual({ kind: 'verified', paid: '10.05', note: null });
    expect(judge(['9', '10', '11.5', '8'])).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/pays 10 usdt, not exactly 10.05: 0.05 less/),
    });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20_000_000 }), { minLength: 1 }), (units) => {
        const others = units.filter((n) => n !== 10_050_000).map((n) => (n / 1_000_000).toFixed(6));
        expect(judge(others).kind).toBe('invalid');
        expect(judge([...others, '10.05']).kind).toBe('verified');
      }),
    );
  });

  test('is invalid if only the platform’s own address sends the amount', () => {
    const at = new Date(CREATED + 1_000);
    const [own, other] = [
      { amount: '10.05', platformSender: 'TPlatform' },
      { amount: '10.05', platformSender: null },
    ];
    expect(shownVerdict(judgePayment(TERMS, { at, transfers: [own] }))).toEqual({
      kind: 'invalid',
      reason:
        'The transaction comes from TPlatform, which is the platform’s own address: only the payer’s own transfer can be the payment',
    });
    const verified = { kind: 'verified', paid: '10.05' };
    expect(judgePayment(TERMS, { at, transfers: [own, other] })).toMatchObject(verified);
    const payout = { ...TERMS, platformMaySend: true };
    expect(judgePayment(payout, { at, transfers: [own] })).toMatchObject(verified);
    const less = [own, { amount: '10', platformSender: null }];
    expect(judgePayment(TERMS, { at, transfers: less })).toMatchObject({ kind: 'invalid' });
  });

  test('from before the claim is invalid, apart from the tolerated clock difference', () => {
    const notBefore = earliestBlock(new Date(CREATED), 15_000);
    expect(judge(['10.05'], CREATED - 15_000, { notBefore }).kind).toBe('verified');
    expect(judge(['10.05'], CREATED - 15_001, { notBefore })).toEqual({
      kind: 'invalid',
      reason:
        'The transaction is from 2026-03-01T08:59:44.999Z, before what it should pay for: only one from 2026-03-01T08:59:45.000Z or later can be the payment',
    });
  });

  test('after the deadline is verified, with a note', () => {
    expect(judge(['10.05'], DUE)).toMatchObject({ note: null });
    const late = 'The payment was made at 2026-03-02T09:00:00.001Z, after its deadline';
    expect(judge(['10.05'], DUE + 1)).toEqual({ kind: 'verified', paid: '10.05', note: late });
    expect(judge(['10.1'], DUE + 1).kind).toBe('invalid');
    expect(judge(['10.05'], DUE + 1, { dueBy: null })).toMatchObject({ note: null });
  });

  test('of the largest amount of a chain is compared exactly', () => {
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
