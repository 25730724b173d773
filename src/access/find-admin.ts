import type { Database } from '../db/orm.ts';
import type { AdminActor } from '../domain/order-commands.ts';
import type { Role } from '../domain/permissions.ts';
import { isAllowedFrom } from './allowed-address.ts';
import { isOfRootKey, type OpenSession } from './console-session.ts';
import { hasSecret } from './has-secret.ts';
import { hashKey, isAdminKey, sameSecret } from './keys.ts';
import { noteKeyUse } from './note-key-use.ts';

/** An authenticated admin. `id` null: the caller has the key of the settings, which belongs to no person. */
export interface KnownAdmin {
  id: number | null;
  name: string;
  role: Role;
}

/** The caller with `ADMIN_API_KEY`. */
export const ROOT: KnownAdmin = { id: null, name: 'root', role: 'owner' };

export const adminActor = ({ id }: KnownAdmin): AdminActor => `admin:${id ?? 'root'}`;

const find = (isWanted: string) => `
  select id, name, role, allowed_ips::text[] as "allowedIps",
    last_used_at is null or last_used_at < now() - interval '1 minute' as "isUseDue"
  from admin
  where ${isWanted} and is_active and (expires_at is null or expires_at > now())`;

const FIND = find(hasSecret('admin', '$1::bytea'));
/** For a session that the identity provider has opened, and no key. */
const FIND_BY_ID = find('id = $1 and oidc_subject is not null');

interface FoundAdmin extends KnownAdmin {
  allowedIps: string[] | null;
  isUseDue: boolean;
}
type Found = FoundAdmin & Record<string, unknown>;

/** The keys that open everything. */
export interface RootKeys {
  adminApiKey: string;
  secondAdminApiKey?: string | undefined;
}

/** The root key, and during its rotation the second one. */
export const rootKeysOf = ({ adminApiKey, secondAdminApiKey }: RootKeys): string[] =>
  [adminApiKey, secondAdminApiKey].flatMap((key) => key ?? []);

/**
 * The admin with this key, or of this session: the session of an admin counts as the key that opened it. Null: no admin has
 * access with it now. `refused`: one has, but not from this address. Records the use, to the minute.
 */
export async function findAdminOf(
  { db, secrets }: { db: Database; secrets: RootKeys },
  credential: string | OpenSession,
  address: string | null,
): Promise<KnownAdmin | 'refused' | null> {
  const rootKeys = rootKeysOf(secrets);
  if (typeof credential === 'string') {
    if (rootKeys.some((key) => sameSecret(credential, key))) return ROOT;
    return isAdminKey(credential) ? findAdmin(db, hashKey(credential), address) : null;
  }
  const { id, keyHash } = credential;
  if (id === null) return isOfRootKey(credential, rootKeys) ? ROOT : null;
  return keyHash ? findAdmin(db, keyHash, address) : findProviderAdmin(db, id, address);
}

/** The admin whom the identity provider has added. Null and `refused`: as above. */
export async function findProviderAdmin(db: Database, id: number, address: string | null) {
  const [found] = await db.query<Found>('admin-find-by-id', FIND_BY_ID, [id]);
  return allowed(db, found, address);
}

async function findAdmin(db: Database, keyHash: Buffer, address: string | null) {
  const [found] = await db.query<Found>('admin-find', FIND, [keyHash]);
  return allowed(db, found, address);
}

async function allowed(
  db: Database,
  found: Found | undefined,
  address: string | null,
): Promise<KnownAdmin | 'refused' | null> {
  if (!found) return null;
  const { id, name, role, allowedIps, isUseDue } = found;
  if (!isAllowedFrom(allowedIps, address)) return 'refused';
  if (isUseDue) await noteKeyUse(db, 'admin', { id, last_used_at: null }, address);
  return { id, name, role };
}
