import type { PriceSource } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import { corridorName } from '../domain/delivery.ts';
import { decimal } from '../domain/money.ts';
import { type OutlierRate, outlierRates } from '../lps/rate-market.ts';
import { type Terms, termsOf } from '../lps/terms.ts';
import type { QuoteSettings } from './quote-payment.ts';

/** An LP's terms, with the reason why payments do not use their rate now, in a sentence for the LP; null: no such reason. */
export type ExplainedTerms = Terms & { not_quoted: string | null };

/**
 * Reads an LP's terms: those of one corridor, of a currency, or all. If the price source has a price of the currency,
 * no rate is an outlier, because `checkRates` has compared it with that price.
 */
export async function termsWithReasons(
  { db, prices, settings }: { db: Database; prices: PriceSource; settings: QuoteSettings },
  lpId: number,
  only?: { currency: string; method: string | undefined },
): Promise<ExplainedTerms[]> {
  await prices.refresh();
  const all = await termsOf(db, [lpId]);
  const asked = only
    ? all.filter(
        ({ currency, method }) =>
          currency === only.currency && (only.method === undefined || method === only.method),
      )
    : all;
  const currencies = [...new Set(asked.map(({ currency }) => currency))];
  const references = await Promise.all(currencies.map((currency) => prices.perUsd(currency)));
  const unchecked = currencies.filter((_, i) => references[i] === undefined);
  const outliers = unchecked.length > 0 ? await outlierRates(db, lpId, unchecked, settings) : [];
  return asked.map((terms) => ({ ...terms, not_quoted: notQuoted(terms, outliers, settings) }));
}

function notQuoted(terms: Terms, outliers: OutlierRate[], { rateOutlierBps }: QuoteSettings): string | null {
  const { currency, method } = terms;
  if (!terms.quoting) return 'You have stopped quoting here.';
  if (terms.rate_usd === null)
    return `The price source has no price of ${currency} now, and your rate is an offset from it.`;
  if (!terms.is_fresh) return 'This rate has expired. Publish it again.';
  if (!coversAnOrder(terms))
    return 'Your float covers no order that you take. Set it when you have more, or lower your minimum.';
  const outlier = outliers.find((found) => found.currency === currency && found.method === method);
  if (!outlier) return null;
  const percent = decimal(rateOutlierBps).div(100).toFixed();
  return `Payments do not use this rate: it is more than ${percent} % above the median of the LPs in ${corridorName(currency, method)}, weighted by collateral. Payments use rates up to ${outlier.highest_rate}.`;
}

const coversAnOrder = ({ float_available: float, min_fiat }: Terms): boolean =>
  float === null || (decimal(float).gt(0) && decimal(float).gte(min_fiat));
