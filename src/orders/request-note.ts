import type { Database } from '../db/orm.ts';
import { type RequestReason, reasonText } from '../domain/status-reasons.ts';

/** `context`: the admin who sends the command, for the audit. Null for agents and LPs. */
const WRITE = `
  insert into request_note (request_id, order_id, reason, code, context)
  values ($1, $2, $3, $4, nullif(current_setting('corridor.audit', true), '')::jsonb)
  on conflict (request_id) do nothing`;

/**
 * Stores the reason of a command for its step to read: signals carry no text that people wrote. A second note for the same
 * request changes nothing.
 */
export async function writeRequestNote(
  db: Database,
  requestId: string,
  orderId: number,
  reason: RequestReason,
): Promise<void> {
  await db.query('request-note', WRITE, [requestId, orderId, reasonText(reason), reason.code]);
}
