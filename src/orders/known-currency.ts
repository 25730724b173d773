import type { Chains } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import type { Chain } from '../domain/assets.ts';
import { ANY_METHOD } from '../domain/delivery.ts';
import { invalidField } from '../domain/errors.ts';
import type { Corridors } from '../market/corridors/load.ts';
import { meantCurrencies } from '../market/corridors/meant-currency.ts';
import { notOneOf } from '../market/corridors/resolve-delivery.ts';

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
  const meant = meantCurrencies(known, currency);
  const hint =
    meant.length > 0
      ? `did you mean ${meant.join(' or ')}?`
      : `the currencies in use are ${[...known].sort().join(', ')}`;
  throw invalidField(
    field,
    `${currency} has no corridor, no terms of an approved LP and no live order: ${hint}`,
  );
}

/** An order of a currency without a corridor has the method `*`, and an incident cannot have it. */
const METHODS_IN_USE = `
  select distinct corridor_method as method from orders
  where currency = $1 and corridor_method <> '${ANY_METHOD}' and status not in ('completed', 'cancelled')`;

/**
 * Refuses an unknown currency as `requireKnownCurrency` does, and a method that neither the currency's corridor nor a live order
 * has. The corridors may have lost the method of a live order. Throws `validation_failed` with the method that may be meant.
 */
export async function requireKnownMethod(
  db: Database,
  corridors: Corridors,
  currency: string,
  method: string | null,
): Promise<void> {
  await requireKnownCurrency(db, corridors, currency);
  if (method === null) return;
  const inUse = await db.query<{ method: string }>('methods-in-use', METHODS_IN_USE, [currency]);
  const offered = Object.keys(corridors.get(currency)?.methods ?? {});
  const known = [...new Set([...offered, ...inUse.map((row) => row.method)])];
  if (known.length === 0) throw invalidField('method', `must be left out: ${currency} has no corridor`);
  if (!known.includes(method)) throw invalidField('method', notOneOf(method, known));
}

const IN_USE_ON = `select from orders where crypto_chain = $1 and status not in ('completed', 'cancelled') limit 1`;

/** Refuses a chain on which nobody can pay and no live order waits. Throws `validation_failed` with the chains in use. */
export async function requireKnownChain(db: Database, chains: Chains, chain: Chain): Promise<void> {
  if (chains.has(chain) || (await db.query('chain-in-use', IN_USE_ON, [chain])).length > 0) return;
  const known = [...chains.keys()].sort().join(', ');
  throw invalidField(
    'chain',
    `${chain} is not configured and has no live order: the chains in use are ${known}`,
  );
}
