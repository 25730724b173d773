import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amountPlaces, amountRange, largestPrice } from '../../src/domain/exact-amount.ts';
import { decimal } from '../../src/domain/money.ts';
import { quote } from '../../src/domain/quote.ts';
import { plain } from './exact.ts';

describe('the decimal places of an amount', () => {
  test.each([
    ['a dollar token', '1', 6, 6],
    ['a dollar token with 18 decimals', '1', 18, 6],
    ['a token of 3,000 USD', '3000', 18, 10],
    ['a token of half a dollar', '0.5', 6, 6],
    ['a token that cannot be divided enough', '100000', 8, 8],
    ['a token of whole units', '1', 0, 0],
    ['a token of a millionth of a dollar', '0.000001', 18, 0],
    ['a token worth more than any other', '1000000000', 18, 12],
  ])('of %s', (_what, cryptoUsd, decimals, places) => {
    expect(amountPlaces(cryptoUsd, decimals)).toBe(places);
  });
});

describe('the amounts of a price', () => {
  test.each([
    ['a dollar token', '1', 6, 10_000],
    ['a token of 3,000 USD', '3000', 18, 33_334],
    ['a token of 3 USD with six decimals', '3', 6, 3_334],
    ['a token with cents only', '1', 2, 1],
    ['a nearly worthless token', '0.000000001', 18, 100_000],
  ])('of %s', (_what, cryptoUsd, decimals, count) => {
    expect(amountRange('10', cryptoUsd, amountPlaces(cryptoUsd, decimals)).count).toBe(count);
  });

  const terms = fc.record({
    cents: fc.bigInt({ min: 1n, max: 10n ** 10n }),
    cryptoUsd: fc.bigInt({ min: 1n, max: 10n ** 11n }).map((n) => plain(n, 6)),
    decimals: fc.integer({ min: 0, max: 18 }),
  });

  test('are never below the price, less than a cent above it, and in the token’s precision', () => {
    fc.assert(
      fc.property(terms, fc.nat(), ({ cents, cryptoUsd, decimals }, pick) => {
        const places = amountPlaces(cryptoUsd, decimals);
        expect(places).toBeLessThanOrEqual(Math.min(decimals, 12));
        const price = quote({
          amountFiat: plain(cents, 2),
          rateUsd: '1',
          spreadBps: 150,
          feeBps: 50,
          cryptoUsd,
          cryptoDecimals: places,
        }).amount_crypto;
        const { lowest, step, count } = amountRange(price, cryptoUsd, places);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(100_000);
        for (const n of [0, pick % count, count - 1]) {
          const amount = decimal(step).mul(n).plus(lowest);
          expect(amount.gte(price)).toBe(true);
          expect(amount.minus(price).mul(cryptoUsd).lt('0.01')).toBe(true);
          expect(amount.decimalPlaces()).toBeLessThanOrEqual(decimals);
          // A JSON number shows the amount exactly.
          if (decimal(price).lte(largestPrice(places))) expect(decimal(Number(amount)).eq(amount)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('of a token that is divisible enough are at least ten thousand', () => {
    fc.assert(
      fc.property(terms, ({ cryptoUsd }) => {
        expect(amountRange('1', cryptoUsd, amountPlaces(cryptoUsd, 18)).count).toBeGreaterThanOrEqual(
          decimal(cryptoUsd).lte(1_000_000) ? 10_000 : 1,
        );
      }),
    );
  });
});
