import { findOpenIncidents } from '../../../db/incidents.ts';
import { findPauses } from '../../../db/pauses.ts';
import { processCounts } from '../../../db/process-heartbeats.ts';
import { ORDER_STATUSES } from '../../../domain/order-state.ts';
import { backlog, standingOrders } from '../../../operations/statistics/order-counts.ts';
import { throughput } from '../../../operations/statistics/throughput.ts';
import { reconcilerProgress } from '../../../operations/upkeep/reconciler-progress.ts';
import { countOpenProposals } from '../../approvals/approvals.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { incidentView } from '../incidents/view.ts';
import { pauseView } from '../pauses/view.ts';
import {
  type Overview,
  overviewResponse,
  type Throughput,
  throughputQuery,
  throughputResponse,
} from './schemas.ts';

/** The number of buckets that a chart can show. */
const BUCKETS = 180;

/** The admin's first page. All figures come from the database, so every API process returns the same. */
export const overviewRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/overview',
    auth: 'admin',
    summary: 'Read the counts of orders and webhooks, and what waits for an admin',
    answers: { 200: overviewResponse },
    refuses: [],
    handle: async () => {
      const [orders, owed, proposals, processes, reconciler, pauses, incidents] = await Promise.all([
        standingOrders(db),
        backlog(db),
        countOpenProposals(db),
        processCounts(db),
        reconcilerProgress(db),
        findPauses(db),
        findOpenIncidents(db),
      ]);
      const of = new Map(orders.map((standing) => [standing.status, standing]));
      const body: Overview = {
        at: new Date().toISOString(),
        orders: ORDER_STATUSES.map((status) => {
          const { count = 0, oldest = null } = of.get(status) ?? {};
          return { status, count, oldest_at: timeOf(oldest) };
        }),
        webhooks: {
          pending: owed.pending,
          oldest_pending_at: timeOf(owed.oldestPending),
          exhausted: owed.exhausted,
        },
        waiting_for_admin: {
          disputes: of.get('disputed')?.count ?? 0,
          frozen_orders: owed.frozenOrders,
          pending_lps: owed.pendingLps,
          requested_withdrawals: owed.requestedWithdrawals,
          proposals,
          revoked_agent_orders: owed.revokedAgentOrders,
        },
        pauses: pauses.map(pauseView),
        incidents: incidents.map(incidentView),
        processes,
        reconciler: { last_run_at: reconciler.lastRunAt, at_work: reconciler.atWork },
      };
      return { status: 200, body };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/throughput',
    auth: 'admin',
    summary: 'Read how many orders entered each status over time',
    query: throughputQuery,
    answers: { 200: throughputResponse },
    refuses: [],
    handle: async ({ query: { hours } }) => {
      const seconds = 60 * Math.ceil((hours * 60) / BUCKETS);
      const entered = await throughput(db, seconds, Math.ceil((hours * 3_600) / seconds));
      const body: Throughput = {
        bucket_seconds: seconds,
        buckets: entered.map(({ at, counts, completedUsd }) => ({
          at: at.toISOString(),
          entered: Object.fromEntries(
            ORDER_STATUSES.map((status) => [status, counts[status] ?? 0]),
          ) as Throughput['buckets'][number]['entered'],
          completed_usd: Number(completedUsd),
        })),
      };
      return { status: 200, body };
    },
  }),
];

const timeOf = (written: string | null): string | null =>
  written === null ? null : new Date(written).toISOString();
