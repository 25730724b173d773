import { z } from 'zod';
import { AGENT_SCOPES } from '../../../domain/agent-scopes.ts';
import { PERMISSIONS, ROLES } from '../../../domain/permissions.ts';
import { id, time } from '../../schemas/response-fields.ts';

const names = <Name extends string>(all: Record<Name, unknown>) => Object.keys(all) as [Name, ...Name[]];

const admin = z.strictObject({
  kind: z.literal('admin'),
  id: id.nullable().describe('Null: the root key, which belongs to no person.'),
  name: z.string(),
  role: z.enum(ROLES),
  permissions: z.array(z.enum(names(PERMISSIONS))).describe('What the role allows.'),
});
const lp = z.strictObject({ kind: z.literal('lp'), id, name: z.string() });
const agent = z.strictObject({
  kind: z.literal('agent'),
  id: id.describe('The id of the agent’s key.'),
  name: z.string().nullable(),
  scopes: z.array(z.enum(names(AGENT_SCOPES))).describe('What the key allows.'),
});

export const signedIn = z.strictObject({
  caller: z.discriminatedUnion('kind', [admin, lp, agent]),
  csrf_token: z
    .string()
    .nullable()
    .describe(
      'The value of `X-CSRF-Token` for changes with the session’s cookie. Null: the caller used a key.',
    ),
  expires_at: time
    .nullable()
    .describe('When the session ends, however it is used. Null: the caller used a key.'),
});
export type SignedIn = z.output<typeof signedIn>;

export const signedOut = z.strictObject({
  ok: z.literal(true),
  ended: z.number().int().nonnegative().describe('How many sessions this has ended.'),
});

export const sessionList = z.strictObject({
  sessions: z.array(
    z.strictObject({
      id,
      created_at: time.describe('When it was opened.'),
      last_used_at: time.describe(
        'Its last use, to a thirtieth of the time after which an unused session ends.',
      ),
      address: z.string().nullable().describe('Where the sign-in came from.'),
      user_agent: z.string().nullable().describe('The browser’s own description, at most 200 characters.'),
      is_current: z.boolean().describe('Whether this request has the session’s cookie.'),
    }),
  ),
});
export type SessionList = z.output<typeof sessionList>;

const explorerPage = z
  .string()
  .nullable()
  .describe('A page in which `{tx}` or `{address}` stands for the value. Null: none.');

/** What pages need to know before anyone has signed in. */
export const signInMethods = z.strictObject({
  key: z.literal(true).describe('`POST /api/console/session`.'),
  identity_provider: z
    .string()
    .nullable()
    .describe('The page at which admins sign in at the identity provider. Null: there is none.'),
  sandbox: z.boolean().describe('Whether the installation simulates the chains that it has no node of.'),
  explorers: z
    .record(z.string(), z.strictObject({ tx: explorerPage, address: explorerPage }))
    .describe('The block explorers that the operator has named, by chain.'),
});
export type SignInMethods = z.output<typeof signInMethods>;
