import { describe, expect, test } from '@jest/globals';
import { depositRequest } from '../../src/api/resources/collateral-deposits/schemas.ts';
import { rateRequest } from '../../src/api/resources/lp-terms/schemas.ts';
import { payRequest } from '../../src/api/resources/payments/schemas.ts';
import { sandboxTransactionRequest } from '../../src/api/resources/sandbox/schemas.ts';
import { faults } from './faults.ts';

const pay = payRequest({ allowHttp: false });
const PAYMENT = { amount: 1295, currency: 'KES', recipient: '+254700123456', user_id: 5 };

const NO_AMOUNTS = [
  1e308,
  -0,
  0,
  -5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '5',
  'NaN',
  '',
  null,
  true,
  [5],
  { valueOf: 5 },
];

describe('an amount', () => {
  test.each(NO_AMOUNTS)('is not %p', (value) => {
    expect(faults(pay, { ...PAYMENT, amount: value })).toEqual(['amount']);
    expect(faults(depositRequest, { amount: value })).toEqual(['amount']);
    expect(faults(rateRequest, { currency: 'KES', rate_usd: value })).toEqual(['rate_usd']);
  });

  test.each([0.1 + 0.2, 1.005, 0.001, 1e-7, 1_000_000_000_000.01, JSON.parse('9007199254740993')])(
    'of a payment is not %d',
    (value) => {
      expect(faults(pay, { ...PAYMENT, amount: value })).toEqual(['amount']);
    },
  );

  test.each([
    [1295, '1295'],
    [0.01, '0.01'],
    [0.3, '0.3'],
    [999_999_999_999.99, '999999999999.99'],
    [1e12, '1000000000000'],
  ])('of a payment may be %d, and is kept as "%s"', (value, text) => {
    expect(pay.parse({ ...PAYMENT, amount: value }).amount).toBe(text);
  });

  test('of a deposit has at most 6 digits after the point, of a rate 8, of a transaction 18', () => {
    const transaction = { chain: 'trx', symbol: 'usdt', to: 'T1' };
    expect(depositRequest.parse({ amount: 0.000001 }).amount).toBe('0.000001');
    expect(faults(depositRequest, { amount: 0.0000001 })).toEqual(['amount']);
    expect(rateRequest.parse({ currency: 'KES', rate_usd: 1e-8 }).rate_usd).toBe('0.00000001');
    expect(faults(rateRequest, { currency: 'KES', rate_usd: 1e-9 })).toEqual(['rate_usd']);
    expect(sandboxTransactionRequest.parse({ ...transaction, amount: 1e-18 }).amount).toBe(
      '0.000000000000000001',
    );
    expect(faults(sandboxTransactionRequest, { ...transaction, amount: 1e-19 })).toEqual(['amount']);
  });
});
