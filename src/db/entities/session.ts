import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, instant, keyHash, oneOf } from './columns.ts';

export const SESSION_KINDS = ['admin', 'lp', 'agent'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** A sign-in to the console in one browser. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'session',
  checks: [
    { name: 'session_kind_check', expression: oneOf('kind', SESSION_KINDS) },
    { name: 'session_of_somebody', expression: `principal_id is not null or kind = 'admin'` },
  ],
  properties: {
    id: id(),
    /** SHA-256 of the token in the browser's cookie. */
    token_hash: keyHash(),
    kind: p.string().length(8).$type<SessionKind>(),
    /** The id of the admin, the LP or the agent's key; null: the admin with the root key. */
    principal_id: p.bigint('number').nullable(),
    /** What the session ends with: the hash of its key, or for the root key a proof that needs the token. Null: not opened with a key. */
    key_hash: p.blob().$type<Buffer>().length(32).nullable(),
    created_at: createdAt(),
    last_used_at: createdAt(),
    /** It ends then, however often it is used. */
    expires_at: instant().index(),
    /** When somebody ended it; null: nobody has. */
    ended_at: instant().nullable(),
    /** Where the sign-in came from. */
    address: p.string().length(64).nullable(),
    user_agent: p.string().length(200).nullable(),
  },
});
export type Session = InferEntity<typeof Session>;

/** A browser that is signing in at the identity provider. The callback deletes the row, so that it works once. */
export const OidcSignIn = defineEntity({
  name: 'OidcSignIn',
  tableName: 'oidc_sign_in',
  properties: {
    /** SHA-256 of the token in the browser's cookie. */
    token_hash: p.blob().$type<Buffer>().length(32).primary(),
    expires_at: instant(),
  },
});
