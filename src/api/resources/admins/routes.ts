import type { z } from 'zod';
import { withReason } from '../../../db/audit-context.ts';
import { Admin } from '../../../db/entities/admin.ts';
import { violates } from '../../../db/errors.ts';
import type { Database } from '../../../db/orm.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { KnownAdmin } from '../../../http/access/find-admin.ts';
import { hashKey, newAdminKey, SHOWN_ONCE } from '../../../http/access/keys.ts';
import { rotateSecret } from '../../../http/access/rotate-secret.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { auditReason } from '../../schemas/audit-reason.ts';
import { ok } from '../../schemas/response-fields.ts';
import {
  adminKeyResponse,
  adminList,
  adminRequest,
  adminUpdate,
  type ListedAdmin,
  listedAdmin,
  rotateAdminRequest,
  rotateAdminResponse,
} from './schemas.ts';

/**
 * An owner who could add a second identity alone, or get the key of another admin, would be two persons. `root` may: it adds
 * the first persons, and its use is a matter of its own.
 */
const isPerson = ({ id }: KnownAdmin): boolean => id !== null;

/**
 * Null gives access for good, or from everywhere. A limit can give access too, if the present one is narrower. A name can too: two
 * admins with one name cannot approve for each other.
 */
const givesAccess = ({ name, role, expires_at, allowed_ips }: z.output<typeof adminUpdate>): boolean =>
  name !== undefined || role !== undefined || expires_at !== undefined || allowed_ips !== undefined;

/** Owners give each person a key and a role of their own. */
export const adminRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/admins',
    auth: 'admin',
    permission: 'admins:manage',
    summary: 'Add an admin, with a key of their own',
    answers: { 201: adminKeyResponse },
    refuses: ['name_taken'],
    body: adminRequest,
    approval: {
      needed: ({ principal }) => isPerson(principal),
      preview: async ({ body: { name } }) => {
        await requireFreeName(db, name);
        return null;
      },
    },
    handle: async ({ body: { name, role, expires_at = null, allowed_ips = null } }) => {
      const api_key = newAdminKey();
      const id = await db
        .em()
        .insert(Admin, { name, role, expires_at, allowed_ips, key_hash: hashKey(api_key) })
        .catch((error) => refuseTaken(db, name, error));
      return { status: 201, body: { id: Number(id), name, role, api_key, warning: SHOWN_ONCE } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/admins',
    auth: 'admin',
    permission: 'admins:manage',
    summary: 'List the admins, newest first',
    answers: { 200: adminList },
    refuses: [],
    handle: async () => {
      const admins = await db.em().find(Admin, {}, { orderBy: { id: 'desc' } });
      return { status: 200, body: { admins: admins.map(adminView) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/admins/:id',
    auth: 'admin',
    permission: 'admins:manage',
    summary: 'Rename an admin, or change the role, the expiry or the allowed addresses',
    description: 'Applies to the next request with the key.',
    answers: { 200: listedAdmin },
    refuses: ['not_found', 'name_taken'],
    body: adminUpdate,
    approval: {
      needed: ({ principal, body }) => isPerson(principal) && givesAccess(body),
      preview: async ({ params, body: { name } }) => {
        const admin = await knownAdmin(db.em(), idFrom(params.id));
        if (name !== undefined && isNameUnique(admin)) await requireFreeName(db, name, admin.id);
        return previewOf(admin);
      },
    },
    handle: async ({ params, body }) => {
      const em = db.em();
      const admin = await knownAdmin(em, idFrom(params.id));
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      em.assign(admin, Object.fromEntries(given));
      await em.flush().catch((error) => refuseTaken(db, admin.name, error));
      return { status: 200, body: adminView(admin) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/admins/:id/rotate',
    auth: 'admin',
    permission: 'admins:manage',
    summary: 'Rotate the key of an admin',
    description: 'The old key stays valid for the overlap. If the response is lost, rotate the key again.',
    answers: { 201: rotateAdminResponse },
    refuses: ['not_found'],
    body: rotateAdminRequest,
    approval: {
      needed: ({ principal }) => isPerson(principal),
      preview: async ({ params }) => {
        const admin = await knownAdmin(db.em(), idFrom(params.id));
        if (!admin.is_active) throw deactivated(admin);
        return previewOf(admin);
      },
    },
    handle: async ({ params, body }) => {
      const id = idFrom(params.id);
      const api_key = newAdminKey();
      const old_key_expires_at = await rotateSecret(db, 'admin', id, hashKey(api_key), body.overlap);
      const admin = await knownAdmin(db.em(), id);
      if (!old_key_expires_at) throw deactivated(admin);
      const { name, role } = admin;
      return { status: 201, body: { id, name, role, api_key, warning: SHOWN_ONCE, old_key_expires_at } };
    },
  }),
  route({
    method: 'delete',
    path: '/api/admin/admins/:id',
    auth: 'admin',
    permission: 'admins:manage',
    summary: 'Deactivate an admin',
    description: 'The key is refused from the next request on. What the admin did keeps their name.',
    query: auditReason,
    answers: { 200: ok },
    refuses: ['not_found'],
    handle: async ({ params, query }) => {
      const changed = await withReason(query.reason, () =>
        db.em().nativeUpdate(Admin, { id: idFrom(params.id) }, { is_active: false }),
      );
      if (changed === 0) throw new DomainError('not_found');
      return { status: 200, body: { ok: true } };
    },
  }),
];

/** Throws `not_found`. */
async function knownAdmin(em: ReturnType<Database['em']>, id: number): Promise<Admin> {
  const admin = await em.findOne(Admin, { id });
  if (!admin) throw new DomainError('not_found');
  return admin;
}

const deactivated = ({ id }: Admin): DomainError =>
  new DomainError('not_found', `Admin ${id} is deactivated for good: add the person again`);

/** Whom a proposal would change, so that its approver reads a name, and the present role and limits. */
function previewOf(admin: Admin) {
  const { id, name, role, is_active, expires_at, allowed_ips } = adminView(admin);
  return { admin: { id, name, role, is_active, expires_at, allowed_ips } };
}

/** Whether the index `admin_name_unique` has this admin. */
const isNameUnique = ({ is_active, oidc_issuer }: Admin): boolean => is_active && !oidc_issuer;

const HOLDER = `
  select id from admin
  where is_active and oidc_issuer is null and lower(name) collate "C" = lower($1) collate "C" and id is distinct from $2`;

/** Throws `name_taken` if the name belongs to another admin than `ownId`, if that is given. */
async function requireFreeName(db: Database, name: string, ownId: number | null = null): Promise<void> {
  const [holder] = await db.query<{ id: number }>('admin-name-holder', HOLDER, [name, ownId]);
  if (holder) throw nameTaken(name, holder.id);
}

/** Throws the refusal if the name belongs to another admin, otherwise the error. */
async function refuseTaken(db: Database, name: string, error: Error): Promise<never> {
  if (!violates(error, 'admin_name_unique')) throw error;
  await requireFreeName(db, name);
  throw nameTaken(name);
}

const nameTaken = (name: string, id?: number): DomainError =>
  new DomainError(
    'name_taken',
    `${id ? `Admin ${id}` : 'Another admin'} is already named “${name}”: write a name that no other active admin has`,
  );

const adminView = (admin: Admin): ListedAdmin => ({
  id: admin.id,
  name: admin.name,
  role: admin.role,
  is_active: admin.is_active,
  expires_at: admin.expires_at?.toISOString() ?? null,
  allowed_ips: admin.allowed_ips ?? null,
  created_at: admin.created_at.toISOString(),
  last_used_at: admin.last_used_at?.toISOString() ?? null,
  last_used_address: admin.last_used_address ?? null,
  identity_provider: admin.oidc_issuer ?? null,
});
