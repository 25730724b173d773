import { ROLES, type Role } from './permissions.ts';

/** Which role a group of the identity provider has. */
export type GroupRoles = ReadonlyMap<string, Role>;

/** The most powerful role of a person's groups; null: no group has a role. `groups`: the value of a claim, of any type. */
export function mappedRole(groups: unknown, roles: GroupRoles): Role | null {
  const named = (Array.isArray(groups) ? groups : [groups]).flatMap((group) =>
    typeof group === 'string' ? (roles.get(group) ?? []) : [],
  );
  return ROLES.findLast((role) => named.includes(role)) ?? null;
}
