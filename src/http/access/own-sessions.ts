import type { Database } from '../../db/orm.ts';
import { isLive, type SessionLimits, type SessionOwner } from './console-session.ts';
import { hasSecret } from './has-secret.ts';

/** A session of the console, as its owner sees it. */
export interface ListedSession {
  id: number;
  created_at: Date;
  /** To a thirtieth of the idle time. */
  last_used_at: Date;
  /** Where the sign-in came from. */
  address: string | null;
  user_agent: string | null;
}

/** A list for a person to read. The newest are enough. */
const MOST = 100;
const KEYS = { admin: 'admin', lp: 'lp', agent: 'agent_key' } as const;

/** Leaves out sessions whose key has ended. Whether a session has the present root key, only its cookie shows. */
const openSessions = (kind: keyof typeof KEYS): string => `
  select id, created_at, last_used_at, address, user_agent from session
  where kind = '${kind}' and principal_id is not distinct from $1 and ${isLive('$2')}
    and (key_hash is null or principal_id is null or exists (
      select from ${KEYS[kind]} k where k.id = principal_id and ${hasSecret('k', 'key_hash')}
    ))
  order by last_used_at desc, id desc limit ${MOST}`;

/** The open sessions of an owner, the last used first. */
export const listSessions = (
  db: Database,
  { kind, id }: SessionOwner,
  { idle }: SessionLimits,
): Promise<ListedSession[]> =>
  db.query<ListedSession & Record<string, unknown>>(`sessions-of-${kind}`, openSessions(kind), [id, idle]);

const END_OWN = `
  update session set ended_at = now()
  where id = $1 and kind = $2 and principal_id is not distinct from $3 and ended_at is null and expires_at > now()
  returning id`;

/** Ends a session of this owner. False: the owner has no such open session. */
export const endOwnSession = async (
  db: Database,
  { kind, id }: SessionOwner,
  sessionId: number,
): Promise<boolean> => (await db.query('session-end-own', END_OWN, [sessionId, kind, id])).length > 0;
