import type { PriceSource } from '../../adapters/ports.ts';
import { DomainError } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { isOffReference } from '../../domain/rate-check.ts';

/**
 * Refuses rates (units per USD, by currency) that are far off the reference. Without a reference (unknown currency, or
 * no price source) it accepts every rate: the check protects against typing errors, and trade must continue without the
 * source.
 */
export async function checkRates(prices: PriceSource, rates: Record<string, string>): Promise<void> {
  for (const [currency, rate] of Object.entries(rates)) {
    const reference = await prices.perUsd(currency);
    if (reference === undefined || !isOffReference(rate, reference)) continue;
    const [given, wanted] = [decimal(rate).toFixed(), decimal(reference).toFixed()];
    const text = `The rate of ${given} ${currency} per USD is more than 10 % off the reference of ${wanted}`;
    throw new DomainError('rate_off_reference', text);
  }
}
