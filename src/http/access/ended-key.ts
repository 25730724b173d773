import type { Database } from '../../db/orm.ts';
import { isOfRootKey, type OpenSession } from './console-session.ts';
import { type RootKeys, rootKeysOf } from './find-admin.ts';
import { hasSecret } from './has-secret.ts';

const ENDINGS = {
  deactivated: 'was deactivated',
  expired: 'has expired',
  replaced: 'was replaced: sign in with the new one',
};

const isReplaced = (row: string) => `$2::bytea is not null and ${hasSecret(row, '$2::bytea')} is not true`;
const ending = (row: string) => `
  case when not is_active then 'deactivated' when expires_at <= now() then 'expired'
    when ${isReplaced(row)} then 'replaced' end as ending`;

const FIND = {
  agent: `select name, ${ending('agent_key')} from agent_key where id = $1`,
  admin: `select name, ${ending('admin')} from admin where id = $1`,
  lp: `select display_name as name, case when ${isReplaced('lp')} then 'replaced' end as ending from lp where id = $1`,
};

interface Found extends Record<string, unknown> {
  name: string | null;
  ending: keyof typeof ENDINGS | null;
}

/**
 * Which key has ended and why, for the person who signed in with it: a browser that has the cookie of a session knows the name
 * already. Undefined: the session's key still gives access.
 */
export async function describeEndedKey(
  { db, secrets }: { db: Database; secrets: RootKeys },
  session: OpenSession,
): Promise<string | undefined> {
  const { kind, id, keyHash } = session;
  if (id === null)
    return isOfRootKey(session, rootKeysOf(secrets)) ? undefined : `The root key ${ENDINGS.replaced}`;
  const [found] = await db.query<Found>(`ended-key-${kind}`, FIND[kind], [id, keyHash]);
  if (!found?.ending) return undefined;
  const name = found.name === null ? '' : ` “${found.name}”`;
  const what =
    kind === 'agent' ? `Your key ${id}${name}` : keyHash ? `The key of${name}` : `The access of${name}`;
  return `${what} ${ENDINGS[found.ending]}`;
}
