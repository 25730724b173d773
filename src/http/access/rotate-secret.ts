import type { Database } from '../../db/orm.ts';
import { crashPoint } from '../../process/crash-point.ts';

/** Truncated: the column would round to milliseconds, and an overlap of 0 could then last half a millisecond. */
const ENDS = "date_trunc('milliseconds', now()) + $3 * interval '1 millisecond'";

/**
 * One statement, so that the later of two concurrent rotations replaces the secret of the earlier one. Besides the
 * replaced secret, the oldest valid secret stays valid, because the caller still uses it if it never received the newer
 * ones.
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
  admin: { name: 'admin-key-rotate', text: rotation('admin', 'is_active') },
};
/** A secret that was replaced must not renew itself in its overlap: somebody else may have it. */
const OWN = rotation('admin', 'is_active and key_hash = $4');

interface Rotated extends Record<string, unknown> {
  previous_expires_at: string;
}

/**
 * Gives an active agent key, an LP or an active admin a new secret; the old one stays valid for `overlapMs`. Returns the end
 * of the old secret, ISO 8601, or undefined if there is no such caller.
 */
export async function rotateSecret(
  db: Database,
  owner: keyof typeof ROTATIONS,
  id: number,
  keyHash: Buffer,
  overlapMs: number,
): Promise<string | undefined> {
  const { name, text } = ROTATIONS[owner];
  const [row] = await db.query<Rotated>(name, text, [id, keyHash, overlapMs]);
  return endOfOld(row);
}

/** `rotateSecret` by an admin who presents `presented`. Undefined: that is not the present secret of an active admin. */
export async function rotateOwnSecret(
  db: Database,
  id: number,
  { presented, next, overlapMs }: { presented: Buffer; next: Buffer; overlapMs: number },
): Promise<string | undefined> {
  const [row] = await db.query<Rotated>('admin-key-rotate-own', OWN, [id, next, overlapMs, presented]);
  return endOfOld(row);
}

function endOfOld(row: Rotated | undefined): string | undefined {
  if (!row) return undefined;
  crashPoint('rotation.committed');
  return new Date(row.previous_expires_at).toISOString();
}
