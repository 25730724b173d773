import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type BackedRate, highestQuotedRate, MIN_LPS_TO_COMPARE } from '../../src/domain/rate-outlier.ts';

const backed = (rate: number, collateral: number): BackedRate => ({
  rate: String(rate),
  collateral: String(collateral),
});
const highest = (rates: BackedRate[], bps = 500) => highestQuotedRate(rates, bps)?.toString();

describe('the highest rate that is quoted', () => {
  test.each<[string, BackedRate[], string | undefined]>([
    ['nothing, of two LPs', [backed(100, 10), backed(500, 10)], undefined],
    [
      'nothing, of two LPs with collateral and others without',
      [backed(100, 10), backed(500, 10), backed(1, 0)],
      undefined,
    ],
    ['5 % above the middle one of three', [backed(120, 10), backed(99, 10), backed(100, 10)], '105'],
    ['not moved by many LPs with a dollar', [backed(100, 50), ...Array(40).fill(backed(900, 1))], '105'],
    ['not moved down by them either', [backed(100, 50), ...Array(40).fill(backed(1, 1))], '105'],
    ['moved by more than half of the collateral', [backed(100, 10), backed(101, 9), backed(200, 20)], '210'],
    ['the lower one of two halves', [backed(100, 10), backed(101, 10), backed(200, 20)], '106.05'],
    ['the same for equal rates', [backed(100, 10), backed(100, 10), backed(100, 10)], '105'],
  ])('is %s', (_what, rates, expected) => {
    expect(highest(rates)).toBe(expected);
  });

  test('follows the setting', () => {
    expect(highest([backed(100, 10), backed(100, 10), backed(300, 10)], 1)).toBe('100.01');
  });

  const rate = fc.integer({ min: 1, max: 1_000 });
  const usd = fc.integer({ min: 1, max: 10_000 });
  test('stays near the honest rates while the dishonest LPs hold less collateral than the honest ones', () => {
    const honest = fc.array(fc.tuple(fc.integer({ min: 98, max: 102 }), usd), {
      minLength: MIN_LPS_TO_COMPARE,
    });
    fc.assert(
      fc.property(honest, fc.array(fc.tuple(rate, usd)), (good, strangers) => {
        const bad: [number, number][] = [];
        let left = good.reduce((sum, [, collateral]) => sum + collateral, 0) - 1;
        for (const [at, collateral] of strangers) {
          if (collateral > left) break;
          left -= collateral;
          bad.push([at, collateral]);
        }
        const limit = Number(highest([...good, ...bad].map(([at, collateral]) => backed(at, collateral))));
        // No dishonest LP excludes an honest one, and no dishonest LP is quoted far above them.
        expect(limit).toBeGreaterThanOrEqual(98 * 1.05);
        expect(limit).toBeLessThanOrEqual(102 * 1.05);
      }),
    );
  });
});
