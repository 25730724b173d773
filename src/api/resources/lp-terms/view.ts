import type { z } from 'zod';
import { corridorName } from '../../../domain/delivery.ts';
import { decimal } from '../../../domain/money.ts';
import type { Corridors } from '../../../market/corridors/load.ts';
import { isOffered } from '../../../market/corridors/terms-method.ts';
import type { Terms } from '../../../market/lps/terms.ts';
import type { ExplainedTerms } from '../../../market/pricing/unquoted-terms.ts';
import type { explainedTerms, publishedTerms } from '../../schemas/lp-terms.ts';

const numberOrNull = (amount: string | null): number | null => (amount === null ? null : Number(amount));

/** The view of an LP's terms for a corridor for the LP and admins. */
export const termsView = (terms: Terms): z.output<typeof publishedTerms> => ({
  currency: terms.currency,
  method: terms.method,
  rate_usd: numberOrNull(terms.rate_usd),
  offset_bps: terms.offset_bps,
  valid_until: new Date(terms.valid_until).toISOString(),
  min: Number(terms.min_fiat),
  max: numberOrNull(terms.max_fiat),
  float: numberOrNull(terms.float_available),
  float_reserved: Number(terms.float_reserved),
  float_low: numberOrNull(terms.float_low),
  quoting: terms.quoting,
  updated_at: new Date(terms.updated_at).toISOString(),
});

const DROPPED =
  'The operator no longer offers this method, so there are no new orders. You can only stop quoting.';

/** Why no order of the corridor is within the LP's bounds and float. Null: some are, or the currency has no corridor. */
function outsideLimits(
  corridors: Corridors,
  { currency, method, min_fiat, max_fiat, float_available }: Terms,
): string | null {
  const limits = corridors.get(currency)?.methods[method];
  if (!limits) return null;
  const { min, max } = limits;
  const reachesMin = [max_fiat ?? max, float_available ?? max].every((bound) => decimal(bound).gte(min));
  if (reachesMin && decimal(min_fiat).lte(max)) return null;
  return `Orders of ${corridorName(currency, method)} are from ${min} to ${max} ${currency}, and your terms take none of these. Change your minimum, your maximum or your float.`;
}

/** The LP's own view of its terms. */
export const explainedView =
  (corridors: Corridors) =>
  (terms: ExplainedTerms): z.output<typeof explainedTerms> => ({
    ...termsView(terms),
    not_quoted:
      terms.quoting && !isOffered(corridors, terms)
        ? DROPPED
        : (terms.not_quoted ?? outsideLimits(corridors, terms)),
  });
