import { DomainError } from '../../domain/errors.ts';
import { AgentKey } from '../entities/agent-key.ts';
import type { Database } from '../orm.ts';
import { rotateSecret } from './rotate-secret.ts';

/**
 * Replaces the secret of an active agent key; the old one stays valid for `overlapMs`, and one before it for what is left
 * of its own overlap, but no longer. Gives the end of that, ISO 8601. Throws `not_found`, or `agent_key_inactive`: a rotation does not bring a deactivated key back.
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
