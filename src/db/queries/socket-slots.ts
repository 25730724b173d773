import { randomUUID } from 'node:crypto';
import type { Database } from '../orm.ts';

/** A slot whose process has not been heard of for this long is free: that process is gone. */
const FREE_AFTER = '30 seconds';

/**
 * An LP has so many slots for connections, over all processes. The primary key (lp_id, slot) is what keeps the
 * number exact, however many connections are made at once.
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

/** The holder's id of a slot, or undefined when there is none free. */
export async function takeSlot(db: Database, lpId: number, limit: number): Promise<string | undefined> {
  const holder = randomUUID();
  // Another may take the slot that was seen free: then there may be a next one.
  for (let attempt = 0; attempt < limit; attempt++) {
    const rows = await db.query('slot-take', TAKE, [lpId, holder, limit]);
    if (rows.length > 0) return holder;
  }
  return undefined;
}

export const releaseSlots = (db: Database, holders: string[]) => db.query('slot-release', RELEASE, [holders]);
export const keepSlots = (db: Database, holders: string[]) => db.query('slot-keep', KEEP, [holders]);
