import type { FilterQuery } from '@mikro-orm/core';
import { AuditEvent } from '../../../db/entities/audit-event.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { pageOf } from '../../schemas/pages.ts';
import { type AuditQuery, auditPage, auditQuery, type ListedAuditEvent } from './schemas.ts';

/** What persons changed and what they were refused. */
export const auditRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/audit',
    auth: 'admin',
    summary: 'List what was changed and by whom, newest first',
    answers: { 200: auditPage },
    refuses: [],
    query: auditQuery,
    handle: async ({ query }) => {
      const rows = await db.em().find(AuditEvent, { $and: filtersOf(query) }, pageOptions(query));
      const { page, next_cursor } = pageOf(rows, query);
      return { status: 200, body: { events: page.map(auditView), next_cursor } };
    },
  }),
];

function filtersOf(query: AuditQuery): FilterQuery<AuditEvent>[] {
  const { actor, action, object, request_id, since, until } = query;
  const filters: FilterQuery<AuditEvent>[] = [afterCursor(query)];
  if (actor) filters.push({ actor });
  if (action) filters.push({ action });
  if (object) filters.push({ object });
  if (request_id) filters.push({ request_id });
  if (since) filters.push({ at: { $gte: since } });
  if (until) filters.push({ at: { $lt: until } });
  return filters;
}

const auditView = ({ at, before, after, hash, ...event }: AuditEvent): ListedAuditEvent => ({
  id: event.id,
  at: at.toISOString(),
  actor: event.actor,
  actor_name: event.actor_name ?? null,
  role: event.role ?? null,
  address: event.address ?? null,
  request_id: event.request_id ?? null,
  action: event.action,
  object: event.object,
  result: event.result,
  before: before ?? null,
  after: after ?? null,
  reason: event.reason ?? null,
  hash: hash.toString('hex'),
});
