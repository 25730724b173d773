import { violates } from '../db/errors.ts';
import type { Database } from '../db/orm.ts';
import type { Chain } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

/** What the address was, and what it becomes, for the webhook `lp.address_changed`. */
const CHANGE = `json_build_object('symbol', $2::varchar, 'chain', $3::varchar, 'address', $4::varchar, 'destination_tag', $5::bigint,
        'previous_address', previous.address, 'previous_destination_tag', previous.destination_tag)`;

/**
 * The same statement announces the change to the LP's webhook, because a thief of its key could move its payments. It announces
 * the first address of a token too: orders in that token would be paid there.
 */
const ASSET = `
  with previous as (
    select address, destination_tag from lp_asset where lp_id = $1 and symbol = $2 and chain = $3
  ),
  announced as (
    insert into webhook_delivery (lp_id, lp_event, body)
    select hook.lp_id, 'lp.address_changed',
      json_build_object('type', 'lp.address_changed',
        'timestamp', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', ${CHANGE})::text
    from lp_webhook hook left join previous on true
    where hook.lp_id = $1 and hook.stopped_at is null and 'lp.address_changed' = any(hook.events)
      and (previous.address, previous.destination_tag) is distinct from ($4::varchar, $5::bigint)
  ),
  asset as (
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
