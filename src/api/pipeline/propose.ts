import { adminActor } from '../../http/access/find-admin.ts';
import { namesOf, propose } from '../approvals/approvals.ts';
import type { ApiDeps } from '../deps.ts';
import type { AnyReply, Route, RouteRequest } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { approvalView } from '../schemas/approvals.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { adminOf, permissionOf } from './permission.ts';

type Request = Parameters<Route['handle']>[0];

/**
 * With `APPROVALS=on`, keeps a request that needs a second admin instead of carrying it out. Resolves to the response, or
 * to null for a request that one admin may make alone. The dry run has checked the request, so that nobody approves what
 * would be refused anyway.
 */
export async function proposeIfNeeded(
  route: Route,
  request: RouteRequest<Auth, unknown>,
  sent: { query: unknown; body: unknown },
  { db, settings }: Pick<ApiDeps, 'db' | 'settings'>,
): Promise<AnyReply | null> {
  const admin = adminOf(request.principal as Request['principal']);
  const { approval } = route;
  if (!settings.approvals || !approval || !admin || !approval.needed(request as Request)) return null;
  const preview = (await approval.preview?.(request as Request)) ?? null;
  const made = await propose(db, {
    action: actionOf(route),
    params: request.params,
    query: knownOf(sent.query, request.query) as Record<string, unknown>,
    body: knownOf(sent.body, request.body),
    idempotency_key: idempotencyKeyOf(request.headers) ?? null,
    preview,
    proposed_by: adminActor(admin),
  });
  const shown = approvalView(made, permissionOf(route), await namesOf(db, [made]));
  return { status: 202, body: { approval: shown } };
}

/**
 * What was sent, without the keys that the route ignores: otherwise the approver would read limits that nobody carries out.
 * `read`: the same after validation, with the known keys only.
 */
function knownOf(sent: unknown, read: unknown): unknown {
  if (!isRecord(sent) || !isRecord(read)) return sent;
  const known = Object.entries(sent).filter(([key]) => Object.hasOwn(read, key));
  return Object.fromEntries(known.map(([key, value]) => [key, knownOf(value, read[key])]));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name under which an approval finds its route again. */
export const actionOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method.toUpperCase()} ${path}`;
