import { violates } from '../../db/errors.ts';
import { isoTime } from '../../db/iso-time.ts';
import type { Database } from '../../db/orm.ts';
import type { Chain } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';
import { warnLp } from './warn-lp.ts';

type Effect = { takes_effect_at: Date | null };

/** A column of the address at which the LP receives now, in the row that is changed: see `receiving_asset`. */
const inUse = (column: 'address' | 'destination_tag') =>
  `case when known.previous_until > now() then known.previous_${column} else known.${column} end`;

/** The change, for the webhook `lp.address_changed`. */
const CHANGE = `json_build_object('symbol', symbol, 'chain', chain, 'address', address, 'destination_tag', destination_tag,
        'previous_address', previous_address, 'previous_destination_tag', previous_destination_tag,
        'takes_effect_at', ${isoTime('previous_until')})`;

/**
 * Another spelling of the registered address is no change. A change waits for the hold (`$6`, in ms), unless it returns to the
 * address that is in use, which cancels a change that waits. An LP that was never approved has no orders, so nothing waits.
 * The new row is computed from the present one, so parallel changes cannot shorten the hold.
 *
 * The same statement announces the change to the LP's webhooks, because a thief of its key could move its payments. It announces
 * the first address of a token as well: orders in that token would be paid there.
 *
 * The LP's row is locked first, as by everything else that changes an LP: two such statements would otherwise wait for each other.
 */
const ASSET = `
  with holder as materialized (select id, approved_at from lp where id = $1 for share),
  asset as (
    insert into lp_asset as known (lp_id, symbol, chain, address, destination_tag)
    select id, $2::varchar, $3::varchar, $4::varchar, $5::bigint from holder
    on conflict (lp_id, symbol, chain) do update set address = excluded.address, destination_tag = excluded.destination_tag,
      previous_address = ${inUse('address')},
      previous_destination_tag = ${inUse('destination_tag')},
      previous_until = case
        when receive_key(known.chain, ${inUse('address')}, ${inUse('destination_tag')}) <> receive_key($3, $4, $5)
          and exists (select from holder where approved_at is not null)
        then now() + nullif($6::bigint, 0) * interval '1 millisecond'
      end
    where known.receive_key <> receive_key($3, $4, $5)
    returning *
  ),
  ${warnLp('lp.address_changed', 'asset', CHANGE)},
  ${offersBecomeDue('select lp_id from asset')}
  select previous_until as takes_effect_at from asset`;

const PRESENT = 'select takes_effect_at from receiving_asset where lp_id = $1 and symbol = $2 and chain = $3';

/**
 * Registers the address at which an LP receives a token, and replaces the previous one after `holdMs`. Returns when claims are
 * paid at the address; null: now. Refuses with `address_taken` an address of another LP, also one that another LP still
 * receives at or waits for, and one that an admin has taken from this LP: see `lp_address` in the schema.
 */
export async function registerAsset(
  db: Database,
  lpId: number,
  asset: { symbol: string; chain: Chain; address: string; destinationTag: number | null },
  holdMs: number,
): Promise<Date | null> {
  const { symbol, chain, address, destinationTag } = asset;
  const values = [lpId, symbol, chain, address, destinationTag, holdMs];
  const [changed] = await db.query<Effect>('asset-register', ASSET, values).catch((error) => {
    const place = destinationTag === null ? address : `${address} with destination tag ${destinationTag}`;
    if (violates(error, 'lp_address_pkey'))
      throw taken(`${place} belongs to another LP on ${chain}: register your own address`);
    if (violates(error, 'address_release_address'))
      throw taken(`${place} on ${chain} is not yours to register: an admin has taken it from you`);
    throw error;
  });
  // A statement that has waited for another change does not see it, so without a change of its own a new one reads.
  const [effect] = changed
    ? [changed]
    : await db.query<Effect>('asset-present', PRESENT, [lpId, symbol, chain]);
  return effect?.takes_effect_at ?? null;
}

const taken = (text: string) => new DomainError('address_taken', text);
