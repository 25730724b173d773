import type { SourcePrices } from '../../adapters/ports.ts';
import type { Database } from '../../db/orm.ts';
import { offersBecomeDue } from '../lps/auto-claim-offers.ts';

/**
 * Stores the prices that are newer than the stored ones. A new or higher price raises the rates that are an offset from
 * it, and so the profit of those LPs' orders. The statement locks the rows in a fixed order, because every process
 * stores prices.
 */
const STORE = `
  with newer as (
    select given.currency, given.per_usd, $3::timestamptz as as_of, $4::timestamptz as usable_until,
      case when known.usable_until > now() then known.per_usd end as previous
    from unnest($1::text[], $2::numeric[]) given(currency, per_usd)
    left join reference_price known using (currency)
    where known.currency is null or known.as_of < $3
  ),
  stored as (
    insert into reference_price (currency, per_usd, as_of, usable_until)
    select currency, per_usd, as_of, usable_until from newer order by currency
    on conflict (currency) do update set
      per_usd = excluded.per_usd, as_of = excluded.as_of, usable_until = excluded.usable_until,
      changed = feed_place()
    where reference_price.as_of < excluded.as_of
  ),
  ${offersBecomeDue(`
    select term.lp_id from lp_term term join newer using (currency)
    where term.offset_bps is not null and newer.per_usd > coalesce(newer.previous, 0)`)}
  select`;

/**
 * Makes a price source's prices available to rates that are an offset from them. Ignores keys that are not currency
 * codes.
 */
export async function storeReferencePrices(
  db: Database,
  { asOf, usableUntil, perUsd }: SourcePrices,
): Promise<void> {
  const prices = [...perUsd].filter(([currency]) => /^[A-Z]{3}$/.test(currency));
  await db.query('reference-prices-store', STORE, [
    prices.map(([currency]) => currency),
    prices.map(([, price]) => price),
    new Date(asOf).toISOString(),
    new Date(usableUntil).toISOString(),
  ]);
}

const ARE_DUE = `
  select exists (select from lp_term where offset_bps is not null and quoting and valid_until > now())
    and not exists (select from reference_price where usable_until > now() + $1::bigint * interval '1 ms') as due`;

/** Whether an LP's rate is an offset, and the stored prices are usable for less than `leftMs`. */
export async function areReferencePricesDue(db: Database, leftMs: number): Promise<boolean> {
  const [row] = await db.query<{ due: boolean }>('reference-prices-due', ARE_DUE, [leftMs]);
  return row?.due ?? false;
}
