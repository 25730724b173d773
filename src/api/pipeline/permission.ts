import { DomainError } from '../../domain/errors.ts';
import { mayDo, type Permission, rolesWith } from '../../domain/permissions.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth, RouteContract } from '../route-contract.ts';

/** The permission that a route needs; null for a route that is not for admins. Throws for one that changes something and names none. */
export function permissionOf({
  auth,
  method,
  path,
  permission,
}: Pick<RouteContract, 'auth' | 'method' | 'path' | 'permission'>): Permission | null {
  if (auth !== 'admin') return permission ?? null;
  if (permission) return permission;
  if (method !== 'get') throw new Error(`${method} ${path} is for admins and names no permission`);
  return 'read';
}

/** Refuses an admin whose role lacks the route's permission. Other callers need none. */
export function requirePermission(route: Route, principal: Principals[Auth]): void {
  const permission = permissionOf(route);
  const admin = adminOf(principal);
  if (!admin || !permission || mayDo(admin.role, permission)) return;
  throw new DomainError(
    'permission_missing',
    `The role ${admin.role} lacks the permission ${permission}: ${rolesWith(permission).join(', ')} have it`,
  );
}

/** The admin who calls; null for every other caller. */
export function adminOf(principal: Principals[Auth]): Principals['admin'] | null {
  if (typeof principal !== 'object' || principal === null) return null;
  if ('kind' in principal) return principal.kind === 'admin' ? principal.admin : null;
  return 'role' in principal ? principal : null;
}
