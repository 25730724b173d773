import type { Database } from '../../db/orm.ts';

const USED = `select count(*)::int as used from free_release
  where lp_id = $1 and created_at > now() - interval '24 hours'`;

/**
 * The number of further releases that cost the LP no strike now, if each follows soon after its claim. `most`: the
 * limit within 24 hours.
 */
export async function freeReleasesLeft(db: Database, lpId: number, most: number): Promise<number> {
  const [row] = await db.query<{ used: number }>('free-releases-used', USED, [lpId]);
  return Math.max(0, most - (row?.used ?? 0));
}
