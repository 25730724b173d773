import type { Database } from '../../db/orm.ts';
import { coverageOf, type Holding, heldIn, isCertain, type Owed } from '../../domain/reserves.ts';
import { lastReserveCheck } from '../upkeep/reserve-check.ts';
import type { Drift } from './drift.ts';

export const RESERVE_RESULTS = ['covered', 'short', 'unconfirmed', 'unknown', 'not_compared'] as const;

/** The last comparison of the reserves with what LPs are owed. Amounts are decimal strings in USD. */
export interface ReserveReport {
  /**
   * - `unconfirmed`: less is held than is owed. The next comparisons confirm it or not.
   * - `unknown`: a node did not answer, or no worker has compared recently.
   * - `not_compared`: no address of the platform on a real chain can be compared, or the operator has switched it off.
   */
  result: (typeof RESERVE_RESULTS)[number];
  checkedAt: Date | null;
  owed: Owed | null;
  /** The sum of the balances that were read. */
  held: string | null;
  /** The time since which less is held than is owed. Null: it is not. */
  shortSince: Date | null;
  holdings: Holding[];
}

const NOT_COMPARED: ReserveReport = {
  ...{ result: 'not_compared', checkedAt: null, owed: null, held: null, shortSince: null, holdings: [] },
};

/** Queries only the database. Rejects if it does not answer. */
export async function reserveReport(db: Database): Promise<ReserveReport> {
  const check = await lastReserveCheck(db);
  if (!check) return NOT_COMPARED;
  const { at, owed, holdings, shortage, recent } = check;
  const report = { owed, holdings, checkedAt: at, held: heldIn(holdings).toFixed(), shortSince: null };
  if (!recent) return { ...report, result: 'unknown' };
  const coverage = coverageOf(owed, holdings);
  if (coverage.kind === 'not_comparable') return { ...report, result: 'not_compared' };
  if (coverage.kind !== 'short') return { ...report, result: coverage.kind };
  const result = isCertain(shortage, at) ? 'short' : 'unconfirmed';
  return { ...report, result, shortSince: shortage.missingSince };
}

/** At most one finding: collateral is one balance, so a single chain cannot be short. */
export function reserveDrift({ result, owed, held, shortSince, holdings }: ReserveReport): Drift {
  if (result === 'unknown') return {};
  if (result !== 'short') return { reserve_shortfall: [] };
  const parts = holdings.map((part) => `${part.held} ${part.symbol} on ${part.chain}, booked ${part.booked}`);
  const finding = {
    what: 'the platform’s addresses hold what LPs are owed',
    where: `all chains since ${shortSince?.toISOString()}`,
    expected: `at least ${owed?.total} USD`,
    found: `${held} USD (${parts.join('; ')})`,
  };
  return { reserve_shortfall: [finding] };
}
