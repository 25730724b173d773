import type { Chain } from './assets.ts';
import { type Decimal, decimal } from './money.ts';

/**
 * Whether the platform's addresses hold what LPs are owed. Collateral is one balance in USD: an LP may deposit usdt on
 * one chain and withdraw usdc on another. So Corridor compares the sum of all addresses with the sum of all balances.
 * Amounts are decimal strings in USD, since only dollar tokens are collateral.
 */

/** The platform's balance of one token on one chain. */
export interface Holding {
  chain: Chain;
  symbol: string;
  /** The sum over the platform's addresses. Null: `unavailable`. */
  held: string | null;
  /**
   * Why `held` is incomplete. `unavailable`: the chain's node did not answer. `shared_account`: the deposit address has
   * a destination tag, so its account may be an exchange's, whose balance belongs to many.
   */
  unread: 'unavailable' | 'shared_account' | null;
  /** Confirmed deposits less payouts. The money should be there unless somebody has moved it between tokens. */
  booked: string;
}

/** What LPs are owed. */
export interface Owed {
  /** All balances, with what orders lock and what withdrawals have requested. */
  total: string;
  /** The part of it in withdrawals that no admin has recorded as paid. The payouts may already have left. */
  withdrawing: string;
}

export type Coverage =
  | { kind: 'covered' }
  /** A node did not answer, and the addresses that were read do not suffice. */
  | { kind: 'unknown' }
  /** Only a shared account may hold the rest. */
  | { kind: 'not_comparable' }
  /** `mayBePaidOut`: payouts that are not recorded yet may explain it. */
  | { kind: 'short'; missing: string; mayBePaidOut: boolean };

/** The time since which the reserves have been short. Null: they are not short. */
export interface Shortage {
  /** In any way. */
  missingSince: Date | null;
  /** By more than all requested withdrawals. */
  unexplainedSince: Date | null;
}

export const NO_SHORTAGE: Shortage = { missingSince: null, unexplainedSince: null };

/** Time to record a payout that has left. */
export const PAYOUT_GRACE_MS = 3_600_000;

/**
 * The amounts that real tokens must cover. No tokens exist for collateral that was deposited on simulated chains, less
 * payouts on them.
 * `booked`: confirmed deposits less payouts by chain.
 */
export function owedInTokens(
  balances: Owed,
  booked: readonly { chain: string; amount: string }[],
  isSimulated: (chain: string) => boolean,
): Owed {
  const simulated = sum(booked.filter(({ chain }) => isSimulated(chain)).map(({ amount }) => amount));
  const total = decimal(balances.total).minus(simulated.lt(0) ? 0 : simulated);
  return { total: (total.lt(0) ? decimal(0) : total).toFixed(), withdrawing: balances.withdrawing };
}

/** Compares what is owed with what is held. An unread balance never counts as zero. */
export function coverageOf(owed: Owed, holdings: readonly Holding[]): Coverage {
  const missing = decimal(owed.total).minus(heldIn(holdings));
  if (missing.lte(0)) return { kind: 'covered' };
  if (holdings.some(({ unread }) => unread === 'unavailable')) return { kind: 'unknown' };
  if (holdings.some(({ unread }) => unread === 'shared_account')) return { kind: 'not_comparable' };
  return { kind: 'short', missing: missing.toFixed(), mayBePaidOut: missing.lte(owed.withdrawing) };
}

/** The sum of the balances that were read. */
export const heldIn = (holdings: readonly Holding[]): Decimal =>
  sum(holdings.flatMap(({ held }) => held ?? []));

/** The shortage after one more comparison at `at`. A comparison without a result changes nothing. */
export function nextShortage(before: Shortage, coverage: Coverage, at: Date): Shortage {
  switch (coverage.kind) {
    case 'covered':
      return NO_SHORTAGE;
    case 'unknown':
    case 'not_comparable':
      return before;
    case 'short':
      return {
        missingSince: before.missingSince ?? at,
        unexplainedSince: coverage.mayBePaidOut ? null : (before.unexplainedSince ?? at),
      };
  }
}

/**
 * Whether a shortage is certain after the comparison at `at`. One comparison proves nothing: money may be on its way
 * between two addresses, and several nodes behind one name may lag. So two comparisons are necessary, or an hour if a
 * payout that is not recorded yet may explain it.
 */
export const isCertain = ({ missingSince, unexplainedSince }: Shortage, at: Date): boolean =>
  (unexplainedSince !== null && unexplainedSince < at) ||
  (missingSince !== null && at.getTime() - missingSince.getTime() >= PAYOUT_GRACE_MS);

const sum = (amounts: readonly string[]): Decimal =>
  amounts.reduce((total, amount) => total.plus(amount), decimal(0));
