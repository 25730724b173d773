import type { Database } from '../../db/orm.ts';
import type { Chain } from '../../domain/assets.ts';
import type { LpStatus } from '../../domain/lp-status.ts';

const RELEASE = `
  select symbols, nullif(free_at, 'infinity') as free_at
  from release_address($1::bigint, $2::varchar, receive_key($2, $3, $4), $5::varchar)`;

/** A receive address. */
export interface AddressPlace {
  chain: Chain;
  address: string;
  /** XRPL only: part of the address. */
  destinationTag: number | null;
}

export interface ReleasedAddress {
  /** The tokens that the LP took there, or was going to. */
  symbols: string[];
  /** When another LP may register it. Null: an order is still paid there, or another LP has it. */
  free_at: Date | null;
}

/**
 * Takes an address from an LP, and records why. The LP cannot register it again for 30 days. Orders that are paid there go on,
 * and nobody else gets the address until 30 days after the last of them. If the LP's change to the address still waits, the LP
 * keeps its previous address. Undefined: the LP does not have the address.
 */
export async function releaseAddress(
  db: Database,
  lpId: number,
  given: AddressPlace & { reason: string },
): Promise<ReleasedAddress | undefined> {
  const { chain, address, destinationTag, reason } = given;
  const values = [lpId, chain, address, destinationTag, reason];
  const [released] = await db.query<ReleasedAddress & Record<string, unknown>>(
    'address-release',
    RELEASE,
    values,
  );
  return released;
}

const HOLDERS = `
  with place as (select receive_key($1::varchar, $2::varchar, $3::bigint) as key)
  select lp.id as lp_id, lp.status,
    array(
      select symbol from receiving_asset, place
      where lp_id = lp.id and chain = $1 and receive_key(chain, address, destination_tag) = key order by symbol
    ) as symbols,
    array(
      select symbol from receiving_asset, place
      where lp_id = lp.id and chain = $1 and receive_key(chain, pending_address, pending_destination_tag) = key order by symbol
    ) as pending_symbols,
    (address).lp_id is not null as holds, nullif(address_free_at(address), 'infinity') as free_at
  from lp left join (select lp_address from lp_address, place where chain = $1 and receive_key = key) held (address)
    on (address).lp_id = lp.id
  where lp.id in (select lp_id from lp_asset, place where chain = $1 and receive_key = key) or (address).lp_id is not null
  order by holds desc, lp.id
  limit 100`;

/** An LP that receives at an address, or holds it. */
export interface AddressHolder {
  lp_id: number;
  status: LpStatus;
  /** The tokens that it takes there. */
  symbols: string[];
  /** The tokens that it will take there, when the changes of its addresses take effect. */
  pending_symbols: string[];
  /** The address is the LP's: no other LP can take it. */
  holds: boolean;
  /** When another LP may take it from the LP, which has given it up. */
  free_at: Date | null;
}

/** The LPs of an address: the one that holds it first, then those that were never approved. At most 100. */
export const addressHolders = (
  db: Database,
  { chain, address, destinationTag }: AddressPlace,
): Promise<AddressHolder[]> =>
  db.query<AddressHolder & Record<string, unknown>>('address-holders', HOLDERS, [
    chain,
    address,
    destinationTag,
  ]);
