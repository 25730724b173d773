import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type QuoteInput, quote, rateLabel } from '../../src/domain/quote.ts';
import { plain, units } from './exact.ts';

const input = (changes: Partial<QuoteInput>): QuoteInput => ({
  amountFiat: '1295',
  rateUsd: '129.5',
  spreadBps: 0,
  feeBps: 50,
  cryptoUsd: '1',
  cryptoDecimals: 6,
  ...changes,
});

describe('a quote, calculated by hand', () => {
  test.each<[string, Partial<QuoteInput>, [string, string, string]]>([
    ['1295 at 129.5 is 10 dollars, and 5 cents of fee', {}, ['10.000000', '0.05', '10.050000']],
    [
      // 0.772200772…; fee 0.0038…; 0.772201 × 1.015 + 0.01 = 0.793784015
      '100 at 129.5 does not divide evenly, and each rounding goes up',
      { amountFiat: '100', spreadBps: 150 },
      ['0.772201', '0.01', '0.793785'],
    ],
    [
      // 333.333333…; fee 3.33333334; 341.66666735 + 3.34 = 345.00666735; ÷ 2.5 = 138.00266694
      '1000 at 3, paid in a token worth 2.50 with two digits',
      { amountFiat: '1000', rateUsd: '3', spreadBps: 250, feeBps: 100, cryptoUsd: '2.5', cryptoDecimals: 2 },
      ['333.333334', '3.34', '138.01'],
    ],
    [
      // In floating point 1.1 × 1.1 is 1.2100000000000002 and would be rounded up to 1.210001.
      '1.10 with a spread of a tenth is 1.21, and not a millionth more',
      { amountFiat: '1.1', rateUsd: '1', spreadBps: 1_000, feeBps: 0 },
      ['1.100000', '0.00', '1.210000'],
    ],
    [
      // In floating point 0.3 ÷ 0.1 is 2.9999999999999996.
      '0.30 at 0.1 is exactly 3 dollars',
      { amountFiat: '0.3', rateUsd: '0.1', feeBps: 0 },
      ['3.000000', '0.00', '3.000000'],
    ],
    [
      'a hundredth at a million is a millionth of a dollar, the smallest amount',
      { amountFiat: '0.01', rateUsd: '1000000' },
      ['0.000001', '0.01', '0.010001'],
    ],
    [
      'a trillion at 1 with the highest fee keeps all its digits',
      { amountFiat: '1000000000000', rateUsd: '1', feeBps: 1_500 },
      ['1000000000000.000000', '150000000000.00', '1150000000000.000000'],
    ],
    [
      'a token without digits after the point is owed in whole units',
      { cryptoDecimals: 0 },
      ['10.000000', '0.05', '11'],
    ],
  ])('%s', (_, changes, [amount_usd, fee_usd, amount_crypto]) => {
    expect(quote(input(changes))).toEqual({ amount_usd, fee_usd, amount_crypto });
  });

  test('does not depend on how the amounts are spelled', () => {
    expect(quote(input({ amountFiat: '1295.00', rateUsd: '129.50000000', cryptoUsd: '1.0' }))).toEqual(
      quote(input({})),
    );
  });
});

/** From a hundredth to a trillion of a currency that is worth anything from 100 dollars to a millionth of one. */
const fiatCents = fc.bigInt({ min: 1n, max: 10n ** 14n });
const anyTerms = fc.record({
  rateUsd: fc.bigInt({ min: 10n ** 6n, max: 10n ** 14n }).map((n) => plain(n, 8)),
  spreadBps: fc.integer({ min: 0, max: 10_000 }),
  feeBps: fc.integer({ min: 0, max: 1_500 }),
  cryptoUsd: fc.bigInt({ min: 1n, max: 10n ** 11n }).map((n) => plain(n, 6)),
  cryptoDecimals: fc.integer({ min: 0, max: 18 }),
});

/** A quote's parts as integers: dollars in millionths, the fee in cents, the token in its smallest units. */
function quoted(cents: bigint, terms: Omit<QuoteInput, 'amountFiat'>) {
  const made = quote({ ...terms, amountFiat: plain(cents, 2) });
  return {
    made,
    usd: units(made.amount_usd, 6),
    fee: units(made.fee_usd, 2),
    crypto: units(made.amount_crypto, terms.cryptoDecimals),
  };
}

describe('any quote', () => {
  test('never pays the LP too little, and less than one unit of the token too much', () => {
    fc.assert(
      fc.property(fiatCents, anyTerms, (cents, terms) => {
        const { usd, fee, crypto } = quoted(cents, terms);
        // Both sides in 10^-10 dollars, times the token's units per token.
        const owed =
          (usd * BigInt(10_000 + terms.spreadBps) + fee * 10n ** 8n) * 10n ** BigInt(terms.cryptoDecimals);
        const worth = (amount: bigint) => amount * units(terms.cryptoUsd, 6) * 10n ** 4n;
        expect(worth(crypto) >= owed).toBe(true);
        expect(worth(crypto - 1n) < owed).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('counts in dollars at least what the fiat is worth, and less than a millionth more', () => {
    fc.assert(
      fc.property(fiatCents, anyTerms, (cents, terms) => {
        const { usd } = quoted(cents, terms);
        const rate = units(terms.rateUsd, 8);
        expect(usd * rate >= cents * 10n ** 12n).toBe(true);
        expect((usd - 1n) * rate < cents * 10n ** 12n).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('charges at least the exact fee, and less than a cent more', () => {
    fc.assert(
      fc.property(fiatCents, anyTerms, (cents, terms) => {
        const { usd, fee } = quoted(cents, terms);
        const exact = usd * BigInt(terms.feeBps);
        expect(fee * 10n ** 8n >= exact).toBe(true);
        expect((fee - 1n) * 10n ** 8n < exact).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('requires at least as much for a larger payout', () => {
    fc.assert(
      fc.property(fiatCents, fc.bigInt({ min: 1n, max: 10n ** 9n }), anyTerms, (cents, more, terms) => {
        const small = quoted(cents, terms);
        const large = quoted(cents + more, terms);
        expect(large.usd >= small.usd).toBe(true);
        expect(large.fee >= small.fee).toBe(true);
        expect(large.crypto >= small.crypto).toBe(true);
      }),
    );
  });

  test('is written as plain decimals: dollars with 6 digits, the fee with 2, the token with its own', () => {
    fc.assert(
      fc.property(fiatCents, anyTerms, (cents, terms) => {
        const { made } = quoted(cents, terms);
        const digits = terms.cryptoDecimals;
        expect(made.amount_usd).toMatch(/^\d+\.\d{6}$/);
        expect(made.fee_usd).toMatch(/^\d+\.\d{2}$/);
        expect(made.amount_crypto).toMatch(digits === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${digits}}$`));
        expect(Number(made.amount_usd)).toBeGreaterThan(0);
        expect(Number(made.amount_crypto)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the label of a rate', () => {
  test.each([
    ['129.50000000', 'KES', '1 USD = 129.5 KES'],
    ['0.00000001', 'XXX', '1 USD = 0.00000001 XXX'],
    ['1000000000', 'IRR', '1 USD = 1000000000 IRR'],
  ])('of %s %s is %s', (rate, currency, label) => {
    expect(rateLabel(rate, currency)).toBe(label);
  });
});
