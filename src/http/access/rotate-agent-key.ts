import { AgentKey } from '../../db/entities/agent-key.ts';
import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import { rotateSecret } from './rotate-secret.ts';

/**
 * Replaces the secret of an active agent key. The old secret stays valid for `overlapMs`. An even older secret stays
 * valid for the rest of its own overlap, but at most for `overlapMs`. Returns the end of the old secret, ISO 8601.
 * Throws `not_found`, or `agent_key_inactive`: a rotation does not reactivate a key.
 */
export async function rotateAgentKey(
  db: Database,
  id: number,
  keyHash: Buffer,
  overlapMs: number,
): Promise<string> {
  const ends = await rotateSecret(db, 'agent', id, keyHash, overlapMs);
  if (ends) return ends;
  const exists = await db.em().count(AgentKey, { id });
  throw new DomainError(exists ? 'agent_key_inactive' : 'not_found');
}
