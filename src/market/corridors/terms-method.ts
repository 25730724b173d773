import { ANY_METHOD } from '../../domain/delivery.ts';
import { invalidField } from '../../domain/errors.ts';
import type { Corridors } from './load.ts';

/**
 * The method of an LP's terms: the given one, or the currency's default. `ANY_METHOD` in a currency without a corridor.
 * Throws `validation_failed` for a method that the currency does not have.
 */
export function termsMethod(corridors: Corridors, currency: string, method?: string): string {
  const corridor = corridors.get(currency);
  if (!corridor) {
    if (method === undefined || method === ANY_METHOD) return ANY_METHOD;
    throw invalidField(
      'method',
      `must be left out: ${currency} has no corridor, so terms are for every method`,
    );
  }
  if (method === undefined) return corridor.default_method;
  if (Object.hasOwn(corridor.methods, method)) return method;
  throw invalidField('method', `must be one of ${Object.keys(corridor.methods).join(', ')}`);
}

/** Whether there can be new orders of the method. The operator may have dropped it since an LP published terms for it. */
export function isOffered(
  corridors: Corridors,
  { currency, method }: { currency: string; method: string },
): boolean {
  const corridor = corridors.get(currency);
  return corridor ? Object.hasOwn(corridor.methods, method) : method === ANY_METHOD;
}
