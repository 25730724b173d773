import type { PriceSource } from '../../../adapters/ports.ts';
import type { Database } from '../../../db/orm.ts';
import { areReferencePricesDue } from '../../../market/pricing/reference-prices.ts';

/**
 * Asks the price source before the stored prices are too old. Without quotes nothing else asks it, but automatic claims
 * need valid rates that are an offset from a price. `source`: undefined without a price source.
 */
export async function refreshReferencePrices(
  db: Database,
  prices: PriceSource,
  source: { maxAgeMs: number } | undefined,
): Promise<void> {
  if (source && (await areReferencePricesDue(db, source.maxAgeMs / 2))) await prices.refresh();
}
