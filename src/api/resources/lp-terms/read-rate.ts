import type { PriceSource } from '../../../adapters/ports.ts';
import { invalidField } from '../../../domain/errors.ts';
import { MAX_RATE_VALIDITY_MS } from '../../../domain/rate-check.ts';
import type { TermsRate } from '../../../market/lps/publish-terms.ts';
import { checkRates } from '../../../market/pricing/check-rates.ts';
import type { Config } from '../../../settings/config.ts';

interface RateBody {
  currency: string;
  rate_usd?: string | undefined;
  offset_bps?: number | undefined;
  /** Seconds. */
  valid_for?: number | undefined;
}

/**
 * The rate that a body publishes, if any. Refuses a fixed rate that is far off the reference with `rate_off_reference`.
 * Refuses with `validation_failed` an offset without a reference, and a rate that would hold for too long.
 */
export async function readRate(
  { prices, settings }: { prices: PriceSource; settings: Pick<Config, 'rateValidFor'> },
  { currency, rate_usd, offset_bps, valid_for }: RateBody,
): Promise<TermsRate | undefined> {
  const validForMs = valid_for === undefined ? settings.rateValidFor : valid_for * 1_000;
  if (validForMs > MAX_RATE_VALIDITY_MS)
    throw invalidField('valid_for', `must be at most ${MAX_RATE_VALIDITY_MS / 1_000} seconds`);
  if (rate_usd !== undefined) {
    await checkRates(prices, { [currency]: rate_usd });
    return { rate_usd, validForMs };
  }
  if (offset_bps === undefined) return undefined;
  if ((await prices.perUsd(currency)) === undefined)
    throw invalidField(
      'offset_bps',
      `needs a price of ${currency} from the operator’s price source, which has none now: publish rate_usd instead`,
    );
  return { offset_bps, validForMs };
}
