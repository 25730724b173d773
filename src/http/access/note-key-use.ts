import type { Database } from '../../db/orm.ts';

const noteUse = (table: 'agent_key' | 'admin') => ({
  name: `${table}-note-use`,
  text: `
    update ${table} set last_used_at = now(), last_used_address = $2
    where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
});
const NOTE_USE = { agent_key: noteUse('agent_key'), admin: noteUse('admin') };

/**
 * Records when and from where a key was used, to the minute: a busy key must not cost a write for each request.
 * `last_used_at`: what the lookup of the key found.
 */
export async function noteKeyUse(
  db: Database,
  table: keyof typeof NOTE_USE,
  key: { id: number | null; last_used_at?: Date | null | undefined },
  address: string | null,
): Promise<void> {
  if (key.last_used_at && Date.now() - key.last_used_at.getTime() < 60_000) return;
  const { name, text } = NOTE_USE[table];
  await db.query(name, text, [key.id, address]);
}
