import type { PriceSource } from '../../adapters/ports.ts';
import type { Database } from '../../db/orm.ts';
import { decimal } from '../../domain/money.ts';
import { MAX_DEVIATION } from '../../domain/rate-check.ts';
import { type RateReasons, rateReasons } from '../lps/rate-reasons.ts';
import { newestTermsOf, type Terms, termsOf } from '../lps/terms.ts';
import type { QuoteSettings } from './quote-payment.ts';

/**
 * An LP's terms, with the reason why payments do not use their rate now, or not always, in sentences for the LP; null: no such
 * reason.
 */
export type ExplainedTerms = Terms & { not_quoted: string | null };

/** Which of an LP's terms to read: those of one corridor, of a currency, or the newest. */
export type TermsAsked = { currency: string; method: string | undefined } | { newest: number };

/** Reads an LP's terms: those that are asked for, or all. */
export async function termsWithReasons(
  { db, prices, settings }: { db: Database; prices: PriceSource; settings: QuoteSettings },
  lpId: number,
  only?: TermsAsked,
): Promise<ExplainedTerms[]> {
  await prices.refresh();
  const asked = await readTerms(db, lpId, only);
  const currencies = [...new Set(asked.map(({ currency }) => currency))];
  const reasons = await rateReasons(db, lpId, currencies, settings);
  return asked.map((terms) => ({ ...terms, not_quoted: notQuoted(terms, reasons, settings) }));
}

async function readTerms(db: Database, lpId: number, only: TermsAsked | undefined): Promise<Terms[]> {
  if (only && 'newest' in only) return newestTermsOf(db, lpId, only.newest);
  const all = await termsOf(db, [lpId]);
  return only
    ? all.filter(
        ({ currency, method }) =>
          currency === only.currency && (only.method === undefined || method === only.method),
      )
    : all;
}

function notQuoted(terms: Terms, reasons: RateReasons[], settings: QuoteSettings): string | null {
  const { currency, method } = terms;
  if (!terms.quoting) return 'You have stopped quoting here.';
  if (terms.rate_usd === null)
    return `The price source has no price of ${currency} now, and your rate is an offset from it.`;
  if (!terms.is_fresh) return 'This rate has expired. Publish it again.';
  if (!coversAnOrder(terms))
    return 'Your float covers no order that you take. Set it when you have more, or lower your minimum.';
  const found = reasons.find((one) => one.currency === currency && one.method === method);
  return found ? implausible(found, settings) : null;
}

const percent = (fraction: string | number) => decimal(fraction).mul(100).toFixed();

function implausible(reasons: RateReasons, { rateOutlierBps }: QuoteSettings): string | null {
  const { currency, reference, highest_rate, largest_order, undoubted_rate, ranks_last_until } = reasons;
  const outlier = `more than ${percent(rateOutlierBps / 10_000)} % above`;
  if (reference !== null)
    return `Payments do not use this rate: it is more than ${percent(MAX_DEVIATION)} % off the price source’s price of ${reference} ${currency} per USD. Publish a rate nearer to it.`;
  if (highest_rate !== null)
    return `Payments do not use this rate: it is ${outlier} the median of the LPs in ${currency}, weighted by collateral. Payments use rates up to ${highest_rate}.`;
  if (ranks_last_until !== null)
    return `Payments use this rate only if no other LP can take the order, until ${new Date(ranks_last_until).toISOString()}: most of the last orders that were quoted from you expired unclaimed. Claim orders, and it ends sooner.`;
  if (largest_order !== null)
    return `Payments of more than ${largest_order} ${currency} do not use this rate while the only other LP in ${currency} has collateral for them: it is ${outlier} that LP’s rate, and your free collateral covers larger orders only at your own. Deposit collateral, or publish at most ${undoubted_rate}.`;
  return null;
}

const coversAnOrder = ({ float_available: float, min_fiat }: Terms): boolean =>
  float === null || (decimal(float).gt(0) && decimal(float).gte(min_fiat));
