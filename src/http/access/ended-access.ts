import type { Database } from '../../db/orm.ts';
import { isLive, type SessionLimits } from './console-session.ts';
import { hasSecret } from './has-secret.ts';

/** With what an LP has opened a socket. */
export interface LpAccess {
  lpId: number;
  /** The hash of its key. */
  keyHash: Buffer;
  /** The session of the console, which that key has opened; null: the LP has sent the key itself. */
  sessionId: number | null;
}

const ENDED = `
  select held.place::int - 1 as place, case when key.is_valid then 'session' else 'key' end as ended
  from unnest($1::bigint[], $2::bytea[], $3::bigint[]) with ordinality held (lp_id, key_hash, session_id, place)
  cross join lateral (
    select exists (select from lp k where k.id = held.lp_id and ${hasSecret('k', 'held.key_hash')}) as is_valid
  ) key
  where not key.is_valid
    or held.session_id is not null and not exists (select from session where id = held.session_id and ${isLive('$4')})`;

/** The places in the list of what no longer gives access, and what of it has ended. */
export const findEndedAccess = (
  db: Database,
  held: readonly LpAccess[],
  { idle }: SessionLimits,
): Promise<{ place: number; ended: 'key' | 'session' }[]> =>
  db.query('access-ended', ENDED, [
    held.map(({ lpId }) => lpId),
    held.map(({ keyHash }) => keyHash),
    held.map(({ sessionId }) => sessionId),
    idle,
  ]);
