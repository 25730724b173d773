import { contentOf } from './openapi-content.ts';
import { exampleOf } from './openapi-examples.ts';
import { permissionOf, scopeOf } from './pipeline/permission.ts';
import type { RouteContract } from './route-contract.ts';
import { proposedResponse } from './schemas/approvals.ts';

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

/** The route whose proposal was recorded. All proposals have the same shape. */
const EXAMPLE = { method: 'post', path: '/api/admin/ledger/payouts' } as const;

/** The response of a route that may need a second admin. */
export const proposals = ({ approval }: RouteContract): object =>
  approval
    ? {
        202: {
          description: 'With `APPROVALS=on`: kept until another admin approves it, and not carried out',
          content: contentOf(proposedResponse, exampleOf(EXAMPLE, '202')),
        },
      }
    : {};
