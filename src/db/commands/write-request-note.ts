import type { Database } from '../orm.ts';

const WRITE = 'insert into request_note (request_id, reason) values ($1, $2)';

/** Keeps why somebody asks an order to move, for the step that will: the signal itself carries no words of people. */
export async function writeRequestNote(db: Database, requestId: string, reason: string): Promise<void> {
  await db.query('request-note', WRITE, [requestId, reason]);
}
