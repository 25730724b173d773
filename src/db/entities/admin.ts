import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { ROLES, type Role } from '../../domain/permissions.ts';
import { createdAt, id, indexesOf, instant, keyHash, oneOf } from './columns.ts';

/** A person who administers the installation. The key that the settings hold belongs to nobody here: it is `root`. */
export const Admin = defineEntity({
  name: 'Admin',
  tableName: 'admin',
  checks: [{ name: 'admin_role_check', expression: oneOf('role', ROLES) }],
  uniques: [{ name: 'admin_oidc_unique', properties: ['oidc_issuer', 'oidc_subject'] }],
  indexes: indexesOf(
    // Records name admins. An identity provider may have two persons of one name: their ids distinguish them.
    `create unique index "admin_name_unique" on "admin" ((lower(name) collate "C")) where is_active and oidc_issuer is null`,
  ),
  properties: {
    id: id(),
    name: p.string().length(200),
    role: p.string().length(16).$type<Role>(),
    key_hash: keyHash(),
    /** The key that a rotation replaced, accepted until `previous_expires_at`. */
    previous_key_hash: keyHash().nullable(),
    previous_expires_at: instant().nullable(),
    /** An even older key, accepted until `older_expires_at`. */
    older_key_hash: keyHash().nullable(),
    older_expires_at: instant().nullable(),
    is_active: p.boolean().default(true),
    /** From then on the key is refused; null: it does not expire. */
    expires_at: instant().nullable(),
    /** The addresses and networks from which the key is accepted; null: from everywhere. */
    allowed_ips: p.array().columnType('cidr[]').nullable(),
    created_at: createdAt(),
    last_used_at: instant().nullable(),
    last_used_address: p.string().length(64).nullable(),
    /** The identity provider at which this admin signs in, and its id of the person; null: with a key only. */
    oidc_issuer: p.string().length(500).nullable(),
    oidc_subject: p.string().length(255).nullable(),
  },
});
export type Admin = InferEntity<typeof Admin>;
