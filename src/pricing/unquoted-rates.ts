import type { PriceSource } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import { decimal } from '../domain/money.ts';
import { outlierRates } from '../lps/rate-market.ts';
import type { QuoteSettings } from './quote-payment.ts';

/**
 * Why Corridor does not quote an LP's rates, by currency, in a sentence for the LP. Currencies that are missing have no such
 * reason. Where the price source has a reference, `checkRates` has compared the rate with that instead.
 */
export async function unquotedRates(
  { db, prices, settings }: { db: Database; prices: PriceSource; settings: QuoteSettings },
  lpId: number,
  currencies: string[],
): Promise<Map<string, string>> {
  const references = await Promise.all(currencies.map((currency) => prices.perUsd(currency)));
  const unchecked = currencies.filter((_, i) => references[i] === undefined);
  if (unchecked.length === 0) return new Map();
  const outliers = await outlierRates(db, lpId, unchecked, settings);
  const percent = decimal(settings.rateOutlierBps).div(100).toFixed();
  return new Map(
    outliers.map(({ currency, highest_rate }) => [
      currency,
      `Payments do not use this rate: it is more than ${percent} % above the median of the LPs in ${currency}, weighted by collateral. They use rates up to ${highest_rate}.`,
    ]),
  );
}
