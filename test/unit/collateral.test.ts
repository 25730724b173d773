import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collateralForOrder, MAX_FEE_BPS, TIER_MULTIPLIERS } from '../../src/domain/collateral.ts';
import { quote } from '../../src/domain/quote.ts';
import { plain, units } from './exact.ts';

const amountUsd = fc.bigInt({ min: 1n, max: 10n ** 18n }).map((n) => plain(n, 6));
const TIERS = [0, 1, 2, 3, 4];

describe('the collateral for an order', () => {
  test.each([
    [0, '100.00'],
    [1, '75.00'],
    [2, '50.00'],
    [3, '25.00'],
    [4, '15.00'],
  ])('of 100 dollars is, in tier %d, %s', (tier, collateral) => {
    expect(collateralForOrder('100', tier)).toBe(collateral);
  });

  test.each([
    ['10.000001', 0, '10.01'],
    ['10.000000', 0, '10.00'],
    ['33.333334', 1, '25.01'],
    ['0.000001', 4, '0.01'],
    ['1.40', 4, '0.21'],
    ['999999999999.999999', 2, '500000000000.00'],
  ])('of %s dollars in tier %d is rounded up to %s', (amount, tier, collateral) => {
    expect(collateralForOrder(amount, tier)).toBe(collateral);
  });

  test.each([5, -1, 0.5, Number.NaN])('is not known for tier %d', (tier) => {
    expect(() => collateralForOrder('100', tier)).toThrow(RangeError);
  });

  test('has as many tiers as these tests cover', () => {
    expect(TIER_MULTIPLIERS).toHaveLength(TIERS.length);
  });

  test('is lower for a higher tier, or equal if a cent cannot be divided', () => {
    fc.assert(
      fc.property(amountUsd, fc.integer({ min: 0, max: 3 }), (amount, tier) => {
        const [lower, higher] = [collateralForOrder(amount, tier), collateralForOrder(amount, tier + 1)];
        expect(units(higher, 2) <= units(lower, 2)).toBe(true);
      }),
    );
  });

  test('never exceeds the order by a cent', () => {
    fc.assert(
      fc.property(amountUsd, fc.constantFrom(...TIERS), (amount, tier) => {
        expect((units(collateralForOrder(amount, tier), 2) - 1n) * 10n ** 4n < units(amount, 6)).toBe(true);
      }),
    );
  });

  // On completion the fee comes from the locked collateral. With less collateral, the LP's balance would become negative.
  test('covers the platform fee of the order in every tier', () => {
    const cents = fc.bigInt({ min: 1n, max: 10n ** 14n });
    const rate = fc.bigInt({ min: 10n ** 6n, max: 10n ** 14n }).map((n) => plain(n, 8));
    const feeBps = fc.oneof(fc.constant(MAX_FEE_BPS), fc.integer({ min: 0, max: MAX_FEE_BPS }));
    fc.assert(
      fc.property(cents, rate, feeBps, fc.constantFrom(...TIERS), (fiat, rateUsd, fee, tier) => {
        const made = quote({
          amountFiat: plain(fiat, 2),
          rateUsd,
          spreadBps: 0,
          feeBps: fee,
          cryptoUsd: '1',
          cryptoDecimals: 6,
        });
        expect(units(collateralForOrder(made.amount_usd, tier), 2) >= units(made.fee_usd, 2)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
