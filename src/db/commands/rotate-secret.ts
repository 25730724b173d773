import { crashPoint } from '../../crash-point.ts';
import type { Database } from '../orm.ts';

/** Cut to the milliseconds of its column, which would round it: an overlap of none would else last for half of one. */
const ENDS = "date_trunc('milliseconds', now()) + $3 * interval '1 millisecond'";

/**
 * One statement, so that of two rotations at once the later replaces what the earlier made. Besides the secret that is
 * replaced the oldest one that is still valid stays: it is the one in use when nobody has heard of those made since.
 */
const rotation = (table: string, condition: string) => `
  update ${table}
  set previous_key_hash = key_hash, previous_expires_at = ${ENDS}, key_hash = $2,
    (older_key_hash, older_expires_at) = (
      select hash, least(ends, ${ENDS})
      from (values (1, older_key_hash, older_expires_at), (2, previous_key_hash, previous_expires_at)) old (place, hash, ends)
      where ends > now() order by place limit 1
    )
  where id = $1 and ${condition}
  returning previous_expires_at`;

const ROTATIONS = {
  agent: { name: 'agent-key-rotate', text: rotation('agent_key', 'is_active') },
  lp: { name: 'lp-key-rotate', text: rotation('lp', 'true') },
};

/**
 * Gives an active agent key or an LP a new secret; the old one stays valid for `overlapMs`. Gives the end of that, ISO 8601;
 * undefined when there is no such caller, and then nothing has changed.
 */
export async function rotateSecret(
  db: Database,
  whose: keyof typeof ROTATIONS,
  id: number,
  keyHash: Buffer,
  overlapMs: number,
): Promise<string | undefined> {
  const { name, text } = ROTATIONS[whose];
  const [row] = await db.query<{ previous_expires_at: string }>(name, text, [id, keyHash, overlapMs]);
  if (!row) return undefined;
  crashPoint('rotation.committed');
  return new Date(row.previous_expires_at).toISOString();
}
