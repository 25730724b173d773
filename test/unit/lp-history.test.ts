import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CompletedOrder, firstDayOf, historyOf } from '../../src/domain/lp-history.ts';

const NOW = new Date('2026-03-01T00:00:00.001Z');
const order = (changes: Partial<CompletedOrder> = {}): CompletedOrder => ({
  date: '2026-03-01',
  amount_fiat: '1295',
  amount_usd: '10',
  spread_bps: 100,
  fee_usd: '0.05',
  own_rate: '129.5',
  fiat_seconds: 60,
  ...changes,
});

describe('the history of an LP', () => {
  test('covers this many days, including today, across the end of a month', () => {
    expect(firstDayOf(NOW, 1).toISOString()).toBe('2026-03-01T00:00:00.000Z');
    expect(historyOf([], NOW, 3).map(({ date }) => date)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });

  test('sums up each day exactly, and includes days without orders', () => {
    const orders = [
      order({ fiat_seconds: 30 }),
      order({ amount_usd: '0.1', amount_fiat: '12.95', own_rate: '129.5', spread_bps: 0, fiat_seconds: 90 }),
      order({ amount_usd: '0.2', spread_bps: 300, own_rate: null, fiat_seconds: null }),
    ];
    const [before, today] = historyOf(orders, NOW, 2);
    expect(before).toEqual({
      date: '2026-02-28',
      completed: 0,
      volume_usd: 0,
      earned_usd: 0,
      profit_unknown: 0,
      fees_usd: 0,
      median_fiat_seconds: null,
    });
    expect(today).toEqual({
      date: '2026-03-01',
      completed: 3,
      volume_usd: 10.3,
      earned_usd: 0.1,
      profit_unknown: 1,
      fees_usd: 0.15,
      median_fiat_seconds: 30,
    });
  });

  test('counts each order of its days once', () => {
    const day = fc.integer({ min: 0, max: 9 }).map((back) =>
      firstDayOf(NOW, back + 1)
        .toISOString()
        .slice(0, 10),
    );
    fc.assert(
      fc.property(fc.array(day), fc.integer({ min: 1, max: 8 }), (dates, days) => {
        const history = historyOf(
          dates.map((date) => order({ date })),
          NOW,
          days,
        );
        const first = history[0]?.date ?? '';
        expect(history).toHaveLength(days);
        const counted = history.reduce((sum, { completed }) => sum + completed, 0);
        expect(counted).toBe(dates.filter((date) => date >= first).length);
      }),
    );
  });
});
