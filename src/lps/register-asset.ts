import { violates } from '../db/errors.ts';
import type { Database } from '../db/orm.ts';
import type { Chain } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

const ASSET = `
  with asset as (
    insert into lp_asset (lp_id, symbol, chain, address, destination_tag) values ($1, $2, $3, $4, $5)
    on conflict (lp_id, symbol, chain) do update
      set address = excluded.address, destination_tag = excluded.destination_tag
    returning lp_id
  ),
  ${offersBecomeDue('select lp_id from asset')}
  select from asset`;

/**
 * Registers the address at which an LP receives a token, and replaces the previous one. Refuses with `address_taken` an
 * address of another LP, and one that an admin has taken from this LP: see `lp_address` in the schema.
 */
export async function registerAsset(
  db: Database,
  lpId: number,
  asset: { symbol: string; chain: Chain; address: string; destinationTag: number | null },
): Promise<void> {
  const { symbol, chain, address, destinationTag } = asset;
  const values = [lpId, symbol, chain, address, destinationTag];
  await db.query('asset-register', ASSET, values).catch((error) => {
    const place = destinationTag === null ? address : `${address} with destination tag ${destinationTag}`;
    if (violates(error, 'lp_address_pkey'))
      throw taken(`${place} belongs to another LP on ${chain}: register your own address`);
    if (violates(error, 'address_release_address'))
      throw taken(`${place} on ${chain} is not yours to register: an admin has taken it from you`);
    throw error;
  });
}

const taken = (text: string) => new DomainError('address_taken', text);
