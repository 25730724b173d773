import type { Database } from '../db/orm.ts';
import type { KnownAgent } from './find-caller.ts';

const NOTE_USE = `
  update agent_key set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`;

/** Records when an agent key was used, to the minute, so that a busy key does not cost a write for each request. */
export async function noteKeyUse(db: Database, { id, last_used_at }: KnownAgent): Promise<void> {
  if (last_used_at && Date.now() - last_used_at.getTime() < 60_000) return;
  await db.query('agent-note-use', NOTE_USE, [id]);
}
