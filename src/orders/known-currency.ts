import type { Corridors } from '../corridors/load.ts';
import type { Database } from '../db/orm.ts';
import { invalidField } from '../domain/errors.ts';
import { editsBetween } from '../domain/near-miss.ts';

/** The currencies that are in use, also those without a corridor. Anybody may register as an LP, with any currency. */
const IN_USE = `
  select currency from lp_term join lp on lp.id = lp_id and lp.status = 'approved'
  union select currency from orders where status not in ('completed', 'cancelled')`;

/**
 * Refuses a currency that has no corridor, no terms of an approved LP and no live order. A pause of a mistyped currency would
 * look as if it was in force, and stop nothing. Throws `validation_failed` for `field` with the currencies that may be meant.
 */
export async function requireKnownCurrency(
  db: Database,
  corridors: Corridors,
  currency: string,
  field = 'currency',
): Promise<void> {
  if (corridors.has(currency)) return;
  const rows = await db.query<{ currency: string }>('currencies-in-use', IN_USE, []);
  const known = new Set([...corridors.keys(), ...rows.map((row) => row.currency)]);
  if (known.has(currency)) return;
  const meant = [...known].filter((other) => editsBetween(currency, other) === 1).sort();
  const hint =
    meant.length > 0
      ? `did you mean ${meant.join(' or ')}?`
      : `the currencies in use are ${[...known].sort().join(', ')}`;
  throw invalidField(
    field,
    `${currency} has no corridor, no terms of an approved LP and no live order: ${hint}`,
  );
}
