import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/orm.ts';

/** A slot that its process has not renewed for this long is free: the process has died. */
const FREE_AFTER = '30 seconds';

/**
 * Each LP has a fixed number of connection slots across all processes. The primary key (lp_id, slot) keeps the number
 * exact when connections arrive at the same time.
 */
const TAKE = `
  insert into socket_slot as taken (lp_id, slot, holder, seen_at)
  select $1::bigint, slot, $2::uuid, now() from generate_series(1, $3::int) slot
  where not exists (
    select from socket_slot s
    where s.lp_id = $1::bigint and s.slot = slot.slot and s.seen_at > now() - interval '${FREE_AFTER}'
  )
  order by slot limit 1
  on conflict (lp_id, slot) do update set holder = excluded.holder, seen_at = now()
  where taken.seen_at <= now() - interval '${FREE_AFTER}'
  returning slot`;

const RELEASE = 'delete from socket_slot where holder = any($1::uuid[])';
const KEEP = 'update socket_slot set seen_at = now() where holder = any($1::uuid[])';

/** Takes a slot and returns the id of its holder; undefined when no slot is free. */
export async function takeSlot(db: Database, lpId: number, limit: number): Promise<string | undefined> {
  const holder = randomUUID();
  // A concurrent connection may take the same free slot first; another slot may be free.
  for (let attempt = 0; attempt < limit; attempt++) {
    const rows = await db.query('slot-take', TAKE, [lpId, holder, limit]);
    if (rows.length > 0) return holder;
  }
  return undefined;
}

export const releaseSlots = (db: Database, holders: string[]) => db.query('slot-release', RELEASE, [holders]);
export const keepSlots = (db: Database, holders: string[]) => db.query('slot-keep', KEEP, [holders]);
