import { z } from 'zod';
import type { GroupRoles } from '../domain/mapped-role.ts';
import { ROLES, type Role } from '../domain/permissions.ts';
import { nameAt, setting } from './setting.ts';
import { httpUrl } from './values.ts';

/** Such as `payments-leads=owner, night-shift=support`. */
const groupRoles = z.string().transform((text, ctx): GroupRoles => {
  const roles = new Map<string, Role>();
  for (const part of text.split(',')) {
    const at = part.lastIndexOf('=');
    const group = part.slice(0, Math.max(at, 0)).trim();
    const role = ROLES.find((one) => one === part.slice(at + 1).trim());
    if (group && role && !roles.has(group)) roles.set(group, role);
    else
      ctx.addIssue(
        `must be group=role, once for each group, with commas between them: "${part.trim()}" is not. The roles are ${ROLES.join(', ')}`,
      );
  }
  return roles;
});

const group = z.object({
  issuer: setting('OIDC_ISSUER', httpUrl.optional()),
  clientId: setting('OIDC_CLIENT_ID', z.string().optional()),
  clientSecret: setting('OIDC_CLIENT_SECRET', z.string().optional()),
  groupRoles: setting('OIDC_ROLES', groupRoles.optional()),
  groupsClaim: setting('OIDC_GROUPS_CLAIM', z.string().default('groups')),
  scope: setting(
    'OIDC_SCOPE',
    z
      .string()
      .regex(/\bopenid\b/, 'must contain openid')
      .default('openid profile'),
  ),
});

/** The identity provider of the admins; undefined: they sign in with keys only. */
export const oidc = group.transform((read, ctx) => {
  const { issuer, clientId, clientSecret, groupRoles } = read;
  if (
    issuer !== undefined &&
    clientId !== undefined &&
    clientSecret !== undefined &&
    groupRoles !== undefined
  )
    return { ...read, issuer, clientId, clientSecret, groupRoles };
  const needed = { issuer, clientId, clientSecret, groupRoles };
  const missing = Object.entries(needed).flatMap(([key, value]) => (value === undefined ? [key] : []));
  if (missing.length < 4)
    ctx.addIssue(
      `sign-ins at an identity provider need ${missing.map((key) => nameAt(group, [key])).join(', ')} too`,
    );
  return undefined;
});
