import { type AgentScope, hasScope } from '../../domain/agent-scopes.ts';
import { DomainError } from '../../domain/errors.ts';
import { mayDo, type Permission, type Role, rolesWith } from '../../domain/permissions.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth, RouteContract } from '../route-contract.ts';

/**
 * The permission that a route needs; null for a route that is not for admins. Throws for a route that changes something and
 * names no permission.
 */
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

/** The scope that an agent's key needs for a route; null: none, or the route is not for agents. Throws as `permissionOf` does. */
export function scopeOf({
  auth,
  method,
  path,
  scope,
}: Pick<RouteContract, 'auth' | 'method' | 'path' | 'scope'>): AgentScope | null {
  if (scope !== undefined || !['any', 'agent'].includes(auth)) return scope ?? null;
  if (method !== 'get') throw new Error(`${method} ${path} is for agents and names no scope`);
  return 'read';
}

/**
 * Refuses an admin whose role lacks the route's permission, and an agent whose key lacks its scope. A route for any caller
 * serves both as strangers instead. Returns the principal for the handler.
 */
export function admit(route: Route, principal: Principals[Auth]): Principals[Auth] {
  const refusal = refusalOf(route, principal);
  if (!refusal) return principal;
  if (route.auth === 'any') return null;
  throw refusal;
}

/** Refuses an admin whose role lacks a permission that depends on the body of the request. */
export function requirePermission({ role }: Pick<Principals['admin'], 'role'>, permission: Permission): void {
  if (!mayDo(role, permission)) throw permissionMissing(role, permission);
}

const permissionMissing = (role: Role, permission: Permission): DomainError =>
  new DomainError(
    'permission_missing',
    `The role ${role} lacks the permission ${permission}. Roles that have it: ${rolesWith(permission).join(', ')}`,
  );

function refusalOf(route: Route, principal: Principals[Auth]): DomainError | null {
  const admin = adminOf(principal);
  const permission = admin && permissionOf(route);
  if (permission && !mayDo(admin.role, permission)) return permissionMissing(admin.role, permission);
  const agent = agentOf(route.auth, principal);
  const scope = agent && scopeOf(route);
  if (scope && !hasScope(agent.scopes, scope))
    return new DomainError(
      'scope_missing',
      `This API key lacks the scope ${scope}: it has ${agent.scopes?.join(', ')}`,
    );
  return null;
}

/** The calling agent; null for every other caller. */
export function agentOf(auth: Auth, principal: Principals[Auth]): Principals['agent'] | null {
  if (auth === 'agent') return principal as Principals['agent'];
  const party = auth === 'any' || auth === 'known' ? (principal as Principals['any']) : null;
  return party?.kind === 'agent' ? party.agent : null;
}

/** The calling admin; null for every other caller. */
export function adminOf(principal: Principals[Auth]): Principals['admin'] | null {
  if (typeof principal !== 'object' || principal === null) return null;
  if ('kind' in principal) return principal.kind === 'admin' ? principal.admin : null;
  return 'role' in principal ? principal : null;
}
