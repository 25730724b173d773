import { randomBytes } from 'node:crypto';
import type { Database } from '../../db/orm.ts';
import type { Role } from '../../domain/permissions.ts';
import { endAllSessions } from './console-session.ts';

/** A person as the identity provider names them. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
  name: string;
}

/** The key is random and known to nobody: this admin signs in at the provider, unless an owner issues a key. */
const REFRESH = `
  insert into admin (name, role, key_hash, oidc_issuer, oidc_subject) values ($1, $2, $3, $4, $5)
  on conflict (oidc_issuer, oidc_subject) do update set name = excluded.name, role = excluded.role
  where admin.is_active
  returning id`;

const FIND = 'select id from admin where oidc_issuer = $1 and oidc_subject = $2';

/** Adds the admin at the first sign-in, and gives them the provider's name and role at each. Null: an owner has deactivated them. */
export async function refreshProviderAdmin(
  db: Database,
  { issuer, subject, name }: ProviderIdentity,
  role: Role,
): Promise<number | null> {
  const values = [name, role, randomBytes(32), issuer, subject];
  const [row] = await db.query<{ id: number }>('provider-admin-refresh', REFRESH, values);
  return row?.id ?? null;
}

/** Ends the sessions of a person who has no role any more. */
export async function endProviderSessions(
  db: Database,
  { issuer, subject }: ProviderIdentity,
): Promise<void> {
  const [row] = await db.query<{ id: number }>('provider-admin-find', FIND, [issuer, subject]);
  if (row) await endAllSessions(db, { kind: 'admin', id: row.id });
}

const BEGIN = `insert into oidc_sign_in (token_hash, expires_at) values ($1, now() + interval '10 minutes')`;
const TAKE = 'delete from oidc_sign_in where token_hash = $1 and expires_at > now() returning token_hash';

/** Notes that a browser has gone to the provider. */
export const beginSignIn = (db: Database, tokenHash: Buffer) => db.query('oidc-begin', BEGIN, [tokenHash]);

/** Whether the sign-in is under way. Only the first caller gets true, so that nobody can repeat it. */
export const takeSignIn = async (db: Database, tokenHash: Buffer): Promise<boolean> =>
  (await db.query('oidc-take', TAKE, [tokenHash])).length > 0;
