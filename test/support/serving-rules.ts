/**
 * Which LPs can serve an order, by the rules of the documentation. Written independently of the SQL that it checks.
 * Amounts are numbers. Tests choose them so that a comparison is either exactly at its boundary or far from it.
 */

export interface AnyTerms {
  method: string;
  /** Units for 1 USD; null: an offset from the reference price. */
  rate: number | null;
  offsetBps: number;
  hasExpired: boolean;
  min: number;
  max: number | null;
  /** Null: not counted. */
  float: number | null;
  quoting: boolean;
}

export interface AnyLp {
  status: string;
  tier: number;
  /** Available collateral, USD. */
  available: number;
  /** Symbols of tokens on their chains, `usdt trx`. */
  tokens: string[];
  isCooling: boolean;
  /** At most one for each method. */
  terms: AnyTerms[];
  /** Null: auto-claim is off or was never set. */
  auto: { isListed: boolean; maxUsd: number | null; minProfitUsd: number } | null;
}

export interface AnyOrder {
  method: string;
  amount: number;
  amountUsd: number;
  spreadBps: number;
  token: string;
  isFrozen: boolean;
  /** Whether the LPs have a failed claim of the order. */
  excludes: (lp: AnyLp) => boolean;
}

/** The price source's price of the currency. Null: there is no usable price. */
export type Reference = number | null;

const MULTIPLIER_PERCENT = [100, 75, 50, 25, 15];
const upTo = (digits: number, usd: number) =>
  Math.ceil(Number((usd * 10 ** digits).toFixed(4))) / 10 ** digits;
const covers = ({ available, tier }: AnyLp, usd: number) =>
  available >= upTo(2, (usd * (MULTIPLIER_PERCENT[tier] ?? 0)) / 100);

/** An LP's own price of a dollar under its terms. Null: unknown. */
export function rateOf({ rate, offsetBps }: AnyTerms, reference: Reference): number | null {
  if (rate !== null) return rate;
  return reference === null ? null : Number(((reference * (10_000 + offsetBps)) / 10_000).toFixed(8));
}

const termsFor = ({ terms }: AnyLp, { method }: Pick<AnyOrder, 'method'>) =>
  terms.find((one) => one.method === method);

const takes = ({ min, max, float }: AnyTerms, amount: number) =>
  min <= amount && (max === null || amount <= max) && (float === null || amount <= float);

/** The rate of terms that are valid now. Null: they are not valid. */
function heldRate(terms: AnyTerms | undefined, reference: Reference): number | null {
  if (!terms || terms.hasExpired || !terms.quoting) return null;
  return rateOf(terms, reference);
}

/** The LP's own rate for the order, if it holds now. */
export const rateNow = (lp: AnyLp, order: AnyOrder, reference: Reference): number | null =>
  heldRate(termsFor(lp, order), reference);

const isActive = (lp: AnyLp) => lp.status === 'approved' && !lp.isCooling;

/** The rates of the tests are whole numbers, or offsets of at most a tenth. */
const isOffReference = (rate: number, reference: Reference) =>
  reference !== null && Math.abs(rate - reference) > reference / 10;

/** Corridor may quote the order from the LP. */
export function mayQuote(lp: AnyLp, order: AnyOrder, reference: Reference): boolean {
  const terms = termsFor(lp, order);
  const rate = heldRate(terms, reference);
  if (!terms || rate === null || !isActive(lp) || !lp.tokens.includes(order.token)) return false;
  if (isOffReference(rate, reference)) return false;
  return takes(terms, order.amount) && covers(lp, upTo(6, order.amount / rate));
}

/** The LP sees the order among the open ones. An LP without a registered token sees the orders of all tokens. */
export function isOffered(lp: AnyLp, order: AnyOrder): boolean {
  const terms = termsFor(lp, order);
  if (!terms?.quoting || order.isFrozen || order.excludes(lp)) return false;
  return (lp.tokens.length === 0 || lp.tokens.includes(order.token)) && takes(terms, order.amount);
}

/** The result of a manual claim of the order. */
export function claimResult(lp: AnyLp, order: AnyOrder): string {
  const terms = termsFor(lp, order);
  if (order.isFrozen || order.excludes(lp)) return 'refused';
  if (lp.status !== 'approved') return 'lp_not_approved';
  if (lp.isCooling) return 'lp_cooling_down';
  if (!lp.tokens.includes(order.token)) return 'no_receive_address';
  if (!terms) return 'corridor_not_served';
  if (!takes(terms, order.amount)) return 'outside_terms';
  return covers(lp, order.amountUsd) ? 'applied' : 'insufficient_collateral';
}

/** Corridor may claim the order for the LP. */
export function mayAutoClaim(lp: AnyLp, order: AnyOrder, reference: Reference): boolean {
  const rate = heldRate(termsFor(lp, order), reference);
  if (rate === null || !lp.auto?.isListed || claimResult(lp, order) !== 'applied') return false;
  const { maxUsd, minProfitUsd } = lp.auto;
  const profit = order.amountUsd * (1 + order.spreadBps / 10_000) - order.amount / rate;
  return (maxUsd === null || order.amountUsd <= maxUsd) && profit >= minProfitUsd;
}

/** After a failed claim the order waits for another LP only if this one would be offered it and could be paid. */
export const mayTakeOver = (lp: AnyLp, order: AnyOrder): boolean =>
  lp.status === 'approved' && lp.tokens.includes(order.token) && isOffered(lp, order);

/** Some order of the method, from its `min` to its `max`, could be quoted from the LP. */
export function isAvailable(
  lp: AnyLp,
  corridor: { method: string; min: number; max: number },
  reference: Reference,
): boolean {
  const terms = termsFor(lp, corridor);
  const rate = heldRate(terms, reference);
  if (!terms || rate === null || !isActive(lp) || lp.tokens.length === 0) return false;
  if (isOffReference(rate, reference)) return false;
  const smallest = Math.max(corridor.min, terms.min);
  return smallest <= corridor.max && takes(terms, smallest) && covers(lp, upTo(6, smallest / rate));
}
