import { describeMethod, limitsOf } from '../delivery.ts';
import { formatCount, formatMoney } from '../format.ts';
import type { ExplainedTerms } from './shapes.ts';

/** An LP's terms in words. Pure functions. */

/** The corridor of the terms, such as `KES · Mobile money`. */
export const describeCorridor = (terms: Pick<ExplainedTerms, 'currency' | 'method'>): string =>
  `${terms.currency} · ${describeMethod(terms)}`;

/** The LP's rate for one US dollar, such as `129.5 KES`. */
export function describeRate({ currency, rate_usd, offset_bps }: ExplainedTerms): string {
  const rate = rate_usd === null ? 'not known now' : formatMoney(rate_usd, currency);
  return offset_bps === null ? rate : `${rate} (${describeOffset(offset_bps)})`;
}

function describeOffset(bps: number): string {
  if (bps === 0) return 'the price source’s price';
  return `${formatCount(Math.abs(bps) / 100)} % ${bps > 0 ? 'above' : 'below'} the price source`;
}

/** The orders that the terms take, such as `100 to 50,000 KES`. */
export function describeBand({ currency, min, max }: ExplainedTerms): string {
  if (max !== null) return `${formatCount(min)} to ${formatMoney(max, currency)}`;
  return min > 0 ? `from ${formatMoney(min, currency)}` : 'any amount';
}

export const isExpired = ({ valid_until }: ExplainedTerms, now: number): boolean =>
  Date.parse(valid_until) <= now;

/** The worst fault of the terms; null: none. */
export function troubleOf({ not_quoted, float, float_low }: ExplainedTerms): string | null {
  if (not_quoted !== null) return not_quoted;
  const isFloatLow = float !== null && float_low !== null && float < float_low;
  return isFloatLow
    ? 'Your float is below your alert. No order of more than the float is offered to you.'
    : null;
}

/**
 * What the LP must change, so that Corridor quotes the terms; null: nothing, or the LP itself has stopped quoting.
 */
export function remedyFor(terms: ExplainedTerms, now: number): 'rate' | 'float' | 'limits' | null {
  const { currency, method, quoting, not_quoted, float, min, max } = terms;
  if (!quoting || not_quoted === null) return null;
  if (isExpired(terms, now)) return 'rate';
  const corridor = limitsOf(currency, method) ?? { min: 0, max: min };
  if (min > corridor.max || (max !== null && max < corridor.min)) return 'limits';
  const coversNoOrder = float !== null && (float === 0 || float < Math.max(min, corridor.min));
  return coversNoOrder ? 'float' : 'rate';
}

/** One word that says how payments and automatic claims use the terms now. */
export function statusOf(
  terms: ExplainedTerms,
  now: number,
): 'stopped' | 'expired' | 'not quoted' | 'quoted' {
  if (!terms.quoting) return 'stopped';
  if (isExpired(terms, now)) return 'expired';
  return terms.not_quoted === null ? 'quoted' : 'not quoted';
}
