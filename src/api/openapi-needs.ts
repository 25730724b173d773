import { permissionOf, scopeOf } from './pipeline/permission.ts';
import type { RouteContract } from './route-contract.ts';

/** A route's description, with what its callers must be allowed to do. `x-permission` and `x-scope` name it for programs. */
export function describedNeeds(route: RouteContract): object {
  const permission = route.auth === 'admin' ? permissionOf(route) : null;
  const scope = route.auth === 'agent' ? scopeOf(route) : null;
  const needs = permission
    ? `Needs the permission \`${permission}\`.`
    : scope && `A key with scopes needs the scope \`${scope}\`.`;
  const description = [route.description, needs].filter(Boolean).join(' ');
  return {
    ...(description ? { description } : {}),
    ...(permission ? { 'x-permission': permission } : {}),
    ...(scope ? { 'x-scope': scope } : {}),
  };
}
