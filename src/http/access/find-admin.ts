import type { Database } from '../../db/orm.ts';
import type { AdminActor } from '../../domain/order-commands.ts';
import type { Role } from '../../domain/permissions.ts';
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

/** An admin who has access, but not from the address of the request. */
export interface AdminElsewhere {
  refused: KnownAdmin;
}

/** Whether an admin was found, and is refused for the address. */
export const isElsewhere = (found: KnownAdmin | AdminElsewhere | null | undefined): found is AdminElsewhere =>
  found != null && 'refused' in found;

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
 * access with it now. `AdminElsewhere`: one has, but not from this address. Records the use of a key, to the minute.
 * Requests of a session do not count as a use: pages send them by themselves, so they do not show that somebody has the key.
 */
export async function findAdminOf(
  { db, secrets }: { db: Database; secrets: RootKeys },
  credential: string | OpenSession,
  address: string | null,
): Promise<KnownAdmin | AdminElsewhere | null> {
  const rootKeys = rootKeysOf(secrets);
  if (typeof credential === 'string') {
    if (rootKeys.some((key) => sameSecret(credential, key))) return ROOT;
    return isAdminKey(credential) ? noted(db, await findByKey(db, hashKey(credential)), address) : null;
  }
  const { id, keyHash } = credential;
  if (id === null) return isOfRootKey(credential, rootKeys) ? ROOT : null;
  return allowed(await (keyHash ? findByKey(db, keyHash) : findById(db, id)), address);
}

/** The admin whom the identity provider has added, for a sign-in, which counts as a use. Null and `AdminElsewhere`: as above. */
export const findProviderAdmin = async (db: Database, id: number, address: string | null) =>
  noted(db, await findById(db, id), address);

async function findByKey(db: Database, keyHash: Buffer): Promise<FoundAdmin | undefined> {
  return (await db.query<Found>('admin-find', FIND, [keyHash]))[0];
}

async function findById(db: Database, id: number): Promise<FoundAdmin | undefined> {
  return (await db.query<Found>('admin-find-by-id', FIND_BY_ID, [id]))[0];
}

function allowed(found: FoundAdmin | undefined, address: string | null): KnownAdmin | AdminElsewhere | null {
  if (!found) return null;
  const { id, name, role, allowedIps } = found;
  const admin = { id, name, role };
  return isAllowedFrom(allowedIps, address) ? admin : { refused: admin };
}

async function noted(db: Database, found: FoundAdmin | undefined, address: string | null) {
  const admin = allowed(found, address);
  if (found?.isUseDue && !isElsewhere(admin))
    await noteKeyUse(db, 'admin', { id: found.id, last_used_at: null }, address);
  return admin;
}
