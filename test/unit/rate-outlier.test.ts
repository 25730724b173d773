import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type BackedRate, MIN_LPS_TO_COMPARE, rateMarket } from '../../src/domain/rate-outlier.ts';

const backed = (rate: number, collateral: number): BackedRate => ({
  rate: String(rate),
  collateral: String(collateral),
});
const highest = (rates: BackedRate[], bps = 500) => rateMarket(rates, bps)?.highest.toString();
const preferred = (rates: BackedRate[], bps = 500) => {
  const found = rateMarket(rates, bps)?.preferred;
  return found && [found.from, found.to].map((rate) => rate.toDecimalPlaces(4).toNumber());
};

describe('the highest rate that is quoted', () => {
  test.each<[string, BackedRate[], string | undefined]>([
    ['nothing, if there are only two LPs', [backed(100, 10), backed(500, 10)], undefined],
    ['nothing, if only two LPs have collateral', [backed(100, 10), backed(500, 10), backed(1, 0)], undefined],
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
});

describe('the rates that are preferred', () => {
  const alike = [100, 100, 100, 100].map((rate) => backed(rate, 10));
  test.each<[string, BackedRate[], number[] | undefined]>([
    ['none, of two LPs', [backed(100, 10), backed(500, 10)], undefined],
    ['within 5 % of equal rates', alike, [95.2381, 105]],
    [
      'up to 5 % above the lower quartile, however high the median is',
      [backed(99, 26), backed(101, 25), backed(106, 49)],
      [96.1905, 103.95],
    ],
    [
      'up to the median, if the lower quartile is far below it',
      [backed(1, 49), backed(100, 51)].concat(backed(100, 1)),
      [95.2381, 100],
    ],
    ['not those far below the median', [backed(50, 10), ...alike], [95.2381, 105]],
  ])('are %s', (_what, rates, expected) => {
    expect(preferred(rates)).toEqual(expected);
  });
});

describe('while dishonest LPs hold less collateral than the honest ones', () => {
  const rate = fc.integer({ min: 1, max: 1_000 });
  const usd = fc.integer({ min: 1, max: 10_000 });
  const honest = fc.array(
    fc.tuple(
      fc.integer({ min: 9_800, max: 10_200 }).map((r) => r / 100),
      usd,
    ),
    {
      minLength: MIN_LPS_TO_COMPARE,
    },
  );
  /** Any rates, or many just below the highest that is quoted. */
  const strangers = fc.array(fc.tuple(fc.oneof(rate, fc.constantFrom(102, 106, 107.1)), usd));
  type Lps = [rate: number, collateral: number][];
  /** As many of the strangers as do not reach the collateral of the honest LPs. */
  const minorityOf = (all: Lps, good: Lps) => {
    const bad: Lps = [];
    let left = good.reduce((sum, [, collateral]) => sum + collateral, 0) - 1;
    for (const [at, collateral] of all) {
      if (collateral > left) break;
      left -= collateral;
      bad.push([at, collateral]);
    }
    return bad;
  };
  /** Weighted by collateral. */
  const medianOf = (lps: Lps) => {
    const sorted = [...lps].sort(([a], [b]) => a - b);
    const half = sorted.reduce((sum, [, collateral]) => sum + collateral, 0) / 2;
    let upTo = 0;
    for (const [at, collateral] of sorted) {
      upTo += collateral;
      if (upTo >= half) return at;
    }
    throw new Error('There are LPs');
  };
  const marketOf = (lps: Lps) => {
    const market = rateMarket(
      lps.map(([at, collateral]) => backed(at, collateral)),
      500,
    );
    if (!market) throw new Error('There are enough LPs');
    const {
      highest: limit,
      preferred: { from, to },
    } = market;
    return { limit: Number(limit), from: Number(from), to: Number(to) };
  };
  const forAnyMarket = (judge: (good: Lps, bad: Lps) => void) =>
    fc.assert(
      fc.property(honest, strangers, (good, all) => judge(good, minorityOf(all, good))),
      { numRuns: 1_000 },
    );

  test('no dishonest LP excludes an honest one, and none is quoted far above them', () => {
    forAnyMarket((good, bad) => {
      const { limit } = marketOf([...good, ...bad]);
      const rates = good.map(([at]) => at);
      expect(limit).toBeGreaterThanOrEqual(Math.max(...rates));
      expect(limit).toBeLessThanOrEqual(Math.max(...rates) * 1.05 + 1e-9);
    });
  });

  test('the preferred rates are within 5 % of the honest median, and an honest LP has one of them', () => {
    forAnyMarket((good, bad) => {
      const { from, to } = marketOf([...good, ...bad]);
      expect(to).toBeLessThanOrEqual(medianOf(good) * 1.05 + 1e-9);
      const honestOnes = good.filter(([at]) => at >= from && at <= to);
      expect(honestOnes.length).toBeGreaterThan(0);
    });
  });
});
