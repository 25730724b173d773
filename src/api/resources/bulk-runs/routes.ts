import { BulkRun } from '../../../db/entities/bulk.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { BULK_PERMISSION, type BulkAction } from '../../../domain/bulk.ts';
import { type BulkFilter, parseBulkFilter } from '../../../domain/bulk-filter.ts';
import { invalidField } from '../../../domain/errors.ts';
import { adminActor, type KnownAdmin } from '../../../http/access/find-admin.ts';
import { dryRunBulk } from '../../../operations/bulk/dry-run.ts';
import {
  bulkReport,
  findBulkRun,
  startBulkRun,
  stopBulkRun,
  treatedOrders,
} from '../../../operations/bulk/runs.ts';
import { requireKnownCurrency } from '../../../orders/known-currency.ts';
import type { ApiDeps } from '../../deps.ts';
import { requirePermission } from '../../pipeline/permission.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { pageOf } from '../../schemas/pages.ts';
import {
  type BulkRequest,
  type BulkRunDetail,
  bulkPage,
  bulkQuery,
  bulkRequest,
  bulkRunDetail,
} from './schemas.ts';
import { bulkDetailView, bulkRunView } from './view.ts';

/** Admins send one command to many orders: first a dry run, which fixes the orders, then its start. */
export function bulkRunRoutes({ db, delivery, gateway, log, workflowsUrl }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/admin/bulk-runs',
      auth: 'admin',
      permission: 'orders:operate',
      summary: 'Make a dry run of a command on many orders',
      description:
        'Changes no order. `start` then sends the command to exactly these orders, within 30 minutes.',
      answers: { 201: bulkRunDetail },
      refuses: [],
      body: bulkRequest,
      handle: async ({ principal, body }) => {
        requireBulkPermission(principal, body.action);
        const { action, where, reason } = body;
        const filter = await filterOf(where);
        const requested = { action, arguments: argumentsOf(body), where, filter, reason };
        const id = await dryRunBulk(db, { ...requested, admin: adminActor(principal) });
        return { status: 201, body: await detailOf(id) };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/bulk-runs',
      auth: 'admin',
      summary: 'List the bulk runs, newest first',
      answers: { 200: bulkPage },
      refuses: [],
      query: bulkQuery,
      handle: async ({ query }) => {
        const rows = await db.em().find(BulkRun, afterCursor(query), pageOptions(query));
        const { page, next_cursor } = pageOf(rows, query);
        const treated = await treatedOrders(
          db,
          page.map(({ id }) => id),
        );
        const bulk_runs = page.map((run) => bulkRunView(run, treated.get(run.id) ?? 0));
        return { status: 200, body: { bulk_runs, next_cursor } };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/bulk-runs/:id',
      auth: 'admin',
      summary: 'Read a bulk run: its progress, and what became of its orders',
      answers: { 200: bulkRunDetail },
      refuses: ['not_found'],
      handle: async ({ params }) => ({ status: 200, body: await detailOf(idFrom(params.id)) }),
    }),
    route({
      method: 'post',
      path: '/api/admin/bulk-runs/:id/start',
      auth: 'admin',
      permission: 'orders:operate',
      summary: 'Start a bulk run',
      description:
        'For the admin who made the dry run. Each order gets the command once, unless it has moved since.',
      answers: { 200: bulkRunDetail },
      refuses: ['not_found', 'wrong_state'],
      handle: async ({ principal, params }) => {
        const run = await findBulkRun(db, idFrom(params.id));
        requireBulkPermission(principal, run.action);
        await startBulkRun(db, run.id, adminActor(principal));
        // If this fails, `startBulkRuns` of the upkeep starts the workflow: the row says that the run has started.
        if (!run.finished_at)
          await gateway
            .startBulk(run, false)
            .catch((error) =>
              log.warn({ err: error, bulkRun: run.id }, 'could not start the workflow of a bulk run'),
            );
        return { status: 200, body: await detailOf(run.id) };
      },
    }),
    route({
      method: 'post',
      path: '/api/admin/bulk-runs/:id/stop',
      auth: 'admin',
      permission: 'orders:operate',
      summary: 'Stop a bulk run',
      description:
        'No further order gets the command. Commands that are under way, at most 5, may still change theirs.',
      answers: { 200: bulkRunDetail },
      refuses: ['not_found'],
      handle: async ({ principal, params }) => {
        const { id, action } = await findBulkRun(db, idFrom(params.id));
        requireBulkPermission(principal, action);
        await stopBulkRun(db, id, adminActor(principal));
        return { status: 200, body: await detailOf(id) };
      },
    }),
  ];

  async function filterOf(where: string): Promise<BulkFilter> {
    const parsed = parseBulkFilter(where, new Date());
    if ('fault' in parsed) throw invalidField('where', parsed.fault);
    for (const currency of parsed.filter.currency ?? [])
      await requireKnownCurrency(db, delivery.corridors, currency, 'where');
    return parsed.filter;
  }

  async function detailOf(id: number): Promise<BulkRunDetail> {
    return bulkDetailView(await findBulkRun(db, id), await bulkReport(db, id), workflowsUrl);
  }
}

/** The route's own permission lets the admin in; each action needs that of its single command. */
const requireBulkPermission = (admin: KnownAdmin, action: BulkAction): void =>
  requirePermission(admin, BULK_PERMISSION[action]);

function argumentsOf({ by, until }: BulkRequest) {
  if (until !== undefined && until <= new Date()) throw invalidField('until', 'must be in the future');
  return {
    ...(by !== undefined && { by_ms: by }),
    ...(until !== undefined && { until: until.toISOString() }),
  };
}
