import type { Database } from '../db/orm.ts';

const WRITE = 'insert into request_note (request_id, reason) values ($1, $2)';

/** Stores the reason of a command for its step to read: signals carry no text that people wrote. */
export async function writeRequestNote(db: Database, requestId: string, reason: string): Promise<void> {
  await db.query('request-note', WRITE, [requestId, reason]);
}
