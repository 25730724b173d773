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
 * Registers the address at which an LP receives a token. Replaces the previous address, which another LP may then
 * register. Refuses another LP's address with `address_taken`.
 */
export async function registerAsset(
  db: Database,
  lpId: number,
  asset: { symbol: string; chain: Chain; address: string; destinationTag: number | null },
): Promise<void> {
  const { symbol, chain, address, destinationTag } = asset;
  const values = [lpId, symbol, chain, address, destinationTag];
  await db.query('asset-register', ASSET, values).catch((error) => {
    if (!violates(error, 'lp_address_pkey')) throw error;
    const place = destinationTag === null ? address : `${address} with destination tag ${destinationTag}`;
    const text = `${place} belongs to another LP on ${chain}: register your own address`;
    throw new DomainError('address_taken', text);
  });
}
