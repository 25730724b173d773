import { DomainError } from '../../domain/errors.ts';
import { editsBetween } from '../../domain/near-miss.ts';
import type { Corridors } from './load.ts';

/** The known currencies that differ from a code by one typing error, in alphabetical order. */
export const meantCurrencies = (known: Iterable<string>, currency: string): string[] =>
  [...known].filter((other) => editsBetween(currency, other) === 1).sort();

/**
 * Rethrows the refusal of a payment. If no LP serves the currency and it has no corridor, the refusal names the currencies that
 * may be meant. The code and its status stay.
 */
export const namingMeant =
  (corridors: Corridors, currency: string) =>
  (refusal: unknown): never => {
    if (!(refusal instanceof DomainError) || refusal.code !== 'no_lp_available' || corridors.has(currency))
      throw refusal;
    const meant = meantCurrencies(corridors.keys(), currency);
    if (meant.length === 0) throw refusal;
    throw new DomainError(
      'no_lp_available',
      `No LP available for this currency: ${currency} has no corridor. Did you mean ${meant.join(' or ')}?`,
    );
  };
