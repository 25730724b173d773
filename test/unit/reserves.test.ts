import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  coverageOf,
  type Holding,
  isCertain,
  NO_SHORTAGE,
  nextShortage,
  owedInTokens,
  PAYOUT_GRACE_MS,
  type Shortage,
} from '../../src/domain/reserves.ts';

const holding = (held: string | null, unread: Holding['unread'] = null): Holding => ({
  ...{ chain: 'base', symbol: 'usdc', booked: '0', held, unread },
});
const unavailable = holding(null, 'unavailable');
const owed = (total: string, withdrawing = '0') => ({ total, withdrawing });
const micros = (units: bigint) => `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`;
const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });

describe('coverage', () => {
  test('is exact, however the money is spread over addresses', () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 12 }), amount, (held, debt) => {
        const sum = held.reduce((total, one) => total + one, 0n);
        const coverage = coverageOf(
          owed(micros(debt)),
          held.map((one) => holding(micros(one))),
        );
        if (sum >= debt) expect(coverage).toEqual({ kind: 'covered' });
        else {
          expect(coverage).toMatchObject({ kind: 'short' });
          const { missing } = coverage as { missing: string };
          expect(Number(missing) * 1e6).toBeCloseTo(Number(debt - sum), -6);
        }
      }),
    );
  });

  test('detects a missing millionth of a dollar, and ignores a difference in the 18th decimal place', () => {
    const debt = owed('9007199254740993.000001');
    expect(coverageOf(debt, [holding('9007199254740993'), holding('0.000001')])).toEqual({ kind: 'covered' });
    expect(coverageOf(debt, [holding('9007199254740993.000000999999999999')])).toEqual({
      ...{ kind: 'short', missing: '0.000000000000000001', mayBePaidOut: false },
    });
  });

  test('never treats an unread balance as zero', () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 6 }), amount, fc.boolean(), (held, debt, shared) => {
        const read = held.map((one) => holding(micros(one)));
        const unread = shared ? holding('0', 'shared_account') : unavailable;
        const { kind } = coverageOf(owed(micros(debt)), [...read, unread]);
        const covered = coverageOf(owed(micros(debt)), read).kind === 'covered';
        expect(kind).toBe(covered ? 'covered' : shared ? 'not_comparable' : 'unknown');
      }),
    );
  });

  test('is unknown, and not incomparable, while a node is also unavailable', () => {
    const { kind } = coverageOf(owed('1'), [holding('0', 'shared_account'), unavailable]);
    expect(kind).toBe('unknown');
  });

  test('may be explained by requested withdrawals, up to all of them', () => {
    const short = (withdrawing: string) => coverageOf(owed('100', withdrawing), [holding('60')]);
    expect(short('40')).toMatchObject({ kind: 'short', missing: '40', mayBePaidOut: true });
    expect(short('39.999999')).toMatchObject({ kind: 'short', missing: '40', mayBePaidOut: false });
  });
});

describe('what tokens must cover', () => {
  const isSimulated = (chain: string) => chain === 'trx';
  test('leaves out collateral on simulated chains, and nothing else', () => {
    const booked = [
      { chain: 'trx', amount: '30' },
      { chain: 'trx', amount: '-5' },
      { chain: 'base', amount: '70' },
    ];
    expect(owedInTokens(owed('100', '7'), booked, isSimulated)).toEqual({ total: '75', withdrawing: '7' });
  });
  test('does not grow with payouts on a simulated chain, nor fall below zero', () => {
    expect(owedInTokens(owed('60'), [{ chain: 'trx', amount: '-40' }], isSimulated).total).toBe('60');
    expect(owedInTokens(owed('20'), [{ chain: 'trx', amount: '30' }], isSimulated).total).toBe('0');
  });
});

describe('a shortage', () => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
  const theft = { kind: 'short', missing: '1', mayBePaidOut: false } as const;
  const payout = { ...theft, mayBePaidOut: true } as const;
  type Seen = Parameters<typeof nextShortage>[1];
  /** The result after each of these comparisons, one per minute. */
  const certain = (seen: Seen[]) => {
    let shortage: Shortage = NO_SHORTAGE;
    return seen.map((coverage, minute) => {
      shortage = nextShortage(shortage, coverage, at(minute));
      return isCertain(shortage, at(minute));
    });
  };

  test('needs two comparisons without a covered one between them', () => {
    expect(certain([theft, theft, theft])).toEqual([false, true, true]);
    expect(certain([theft, { kind: 'covered' }, theft])).toEqual([false, false, false]);
    expect(certain([theft, payout, theft])).toEqual([false, false, false]);
  });
  test('is not proven by a node that does not answer', () => {
    expect(certain([{ kind: 'unknown' }, theft, { kind: 'unknown' }])[1]).toBe(false);
    expect(certain([{ kind: 'unknown' }, { kind: 'unknown' }])).toEqual([false, false]);
  });
  test('is not forgotten while a node does not answer', () => {
    expect(certain([theft, { kind: 'unknown' }, theft])[2]).toBe(true);
  });
  test('that payouts explain takes an hour, and ends when they are recorded', () => {
    const hour = Array<Seen>(PAYOUT_GRACE_MS / 60_000).fill(payout);
    expect(certain(hour)).not.toContain(true);
    expect(certain([...hour, payout]).at(-1)).toBe(true);
    expect(certain([...hour, { kind: 'covered' }, payout]).at(-1)).toBe(false);
  });
  test('cannot be hidden by changing requests for withdrawals for longer than that hour', () => {
    const hour = Array.from({ length: PAYOUT_GRACE_MS / 60_000 }, (_, i) => (i % 2 ? payout : theft));
    expect(certain([...hour, payout]).at(-1)).toBe(true);
  });
});
