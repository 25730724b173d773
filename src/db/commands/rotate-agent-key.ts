import { crashPoint } from '../../crash-point.ts';
import { DomainError } from '../../domain/errors.ts';
import { AgentKey } from '../entities/agent-key.ts';
import type { Database } from '../orm.ts';

/** Cut to the milliseconds of its column, which would round it: an overlap of none would else last for half of one. */
const ENDS = "date_trunc('milliseconds', now()) + $3 * interval '1 millisecond'";

/**
 * One statement, so that of two rotations at once the later replaces what the earlier made. Besides the secret that is
 * replaced the oldest one that is still valid stays: it is the one in use when nobody has heard of those made since.
 */
export const rotation = (table: 'agent_key' | 'lp', condition: string) => `
  update ${table}
  set previous_key_hash = key_hash, previous_expires_at = ${ENDS}, key_hash = $2,
    (older_key_hash, older_expires_at) = (
      select hash, least(ends, ${ENDS})
      from (values (1, older_key_hash, older_expires_at), (2, previous_key_hash, previous_expires_at)) old (place, hash, ends)
      where ends > now() order by place limit 1
    )
  where id = $1 and ${condition}
  returning previous_expires_at`;

const ROTATE = rotation('agent_key', 'is_active');

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
  const values = [id, keyHash, overlapMs];
  const [row] = await db.query<{ previous_expires_at: string }>('agent-key-rotate', ROTATE, values);
  if (row) {
    crashPoint('rotation.committed');
    return new Date(row.previous_expires_at).toISOString();
  }
  const exists = await db.em().count(AgentKey, { id });
  throw new DomainError(exists ? 'agent_key_inactive' : 'not_found');
}
