import { z } from 'zod';
import { PERMISSIONS, type Permission, ROLES } from '../../../domain/permissions.ts';
import { changedKeyLimits, newKeyLimits } from '../../schemas/key-limits.ts';
import { chosenOverlap, keyOverlap } from '../../schemas/key-overlap.ts';
import { describeField, line, listValues } from '../../schemas/request-fields.ts';
import { id, time } from '../../schemas/response-fields.ts';

const role = z.enum(ROLES);
const permission = z.enum(Object.keys(PERMISSIONS) as Permission[]);

const name = describeField(line(200), 'The person, as records of what they do name them.');
const roleField = role.describe(
  `What the person may do. ${listValues(ROLES)} docs/access.md says what each allows.`,
);

/** `POST /api/admin/admins`. */
export const adminRequest = z
  .object({
    name,
    role: roleField,
    ...newKeyLimits,
  })
  .meta({ examples: [{ name: 'Night shift', role: 'support' }] });

/** `POST /api/admin/admins/:id`: a missing field keeps its value. */
export const adminUpdate = z.object({
  name: name.optional().describe(`${name.description} Default: the present name.`),
  role: roleField.optional().describe(`${roleField.description} Default: the present role.`),
  ...changedKeyLimits,
});

export const adminKeyResponse = z.strictObject({
  id,
  name: z.string(),
  role,
  api_key: z.string().describe('The key of this person. Shown only once.'),
  warning: z.string(),
});

/** An admin without the key. */
export const listedAdmin = z.strictObject({
  id,
  name: z.string(),
  role,
  is_active: z.boolean(),
  expires_at: time.nullable(),
  allowed_ips: z.array(z.string()).nullable().describe('`null`: all addresses.'),
  created_at: time,
  last_used_at: time
    .nullable()
    .describe(
      'The last request or sign-in with the key, or sign-in at the identity provider, to the minute.',
    ),
  last_used_address: z.string().nullable(),
  identity_provider: z
    .string()
    .nullable()
    .describe('The issuer at which this admin signs in. Null: an owner has added this admin, with a key.'),
});
export type ListedAdmin = z.output<typeof listedAdmin>;
export const adminList = z.strictObject({ admins: z.array(listedAdmin) });

/** `POST /api/admin/admins/:id/rotate`. */
export const rotateAdminRequest = z.object({ overlap: keyOverlap });
export const rotateAdminResponse = adminKeyResponse.extend({ old_key_expires_at: time });

/** `POST /api/admin/whoami/rotate`. Without a default, because only the caller knows whether somebody else has the key. */
export const rotateOwnRequest = z
  .object({ overlap: chosenOverlap('How long the old key stays valid; `0s` if somebody else has seen it.') })
  .meta({ examples: [{ overlap: '0s' }] });

/** `GET /api/admin/whoami`. `id` null: the caller has the key of the settings. */
export const whoamiResponse = z.strictObject({
  id: id.nullable(),
  name: z.string(),
  role,
  permissions: z.array(permission),
});
