import type { Database } from '../db/orm.ts';
import type { AdminActor } from '../domain/order-commands.ts';
import type { Role } from '../domain/permissions.ts';
import { isAllowedFrom } from './allowed-address.ts';
import { hasSecret } from './has-secret.ts';
import { hashKey, isAdminKey } from './keys.ts';
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

const FIND = `
  select id, name, role, allowed_ips::text[] as "allowedIps",
    last_used_at is null or last_used_at < now() - interval '1 minute' as "isUseDue"
  from admin
  where ${hasSecret('admin', '$1::bytea')} and is_active and (expires_at is null or expires_at > now())`;

interface FoundAdmin extends KnownAdmin {
  allowedIps: string[] | null;
  isUseDue: boolean;
}

/**
 * The active admin whose key this is; null for any other text. `refused`: the key is right, but the admin's list of
 * addresses does not have the caller's. Records the use of the key, to the minute.
 */
export async function findAdmin(
  db: Database,
  token: string,
  address: string | null,
): Promise<KnownAdmin | 'refused' | null> {
  if (!isAdminKey(token)) return null;
  const [found] = await db.query<FoundAdmin & Record<string, unknown>>('admin-find', FIND, [hashKey(token)]);
  if (!found) return null;
  const { id, name, role, allowedIps, isUseDue } = found;
  if (!isAllowedFrom(allowedIps, address)) return 'refused';
  if (isUseDue) await noteKeyUse(db, 'admin', { id, last_used_at: null }, address);
  return { id, name, role };
}
