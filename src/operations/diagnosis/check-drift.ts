import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import {
  DRIFT_KINDS,
  type DriftKind,
  type ObservedWorkflow,
  type OrderFacts,
  WORKFLOW_DRIFT,
  workflowDrift,
} from '../../domain/workflow-drift.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import { observeOrders } from '../upkeep/observe-orders.ts';
import { recentlyMoved } from '../upkeep/reconciled-orders.ts';
import { type ReconcilerProgress, reconcilerProgress } from '../upkeep/reconciler-progress.ts';
import { ledgerFindings } from './checks/ledger.ts';
import type { Drift } from './drift.ts';
import type { Finding } from './finding.ts';
import { type ReserveReport, reserveDrift, reserveReport } from './reserves.ts';

export interface DriftCheckDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  /** PostgreSQL interval. Temporal's lists lag, so an order that moved within this time is not compared. */
  settledAfter?: string | undefined;
}

/** Whether Temporal has answered, so that rows and workflows were compared. */
export const knowsWorkflows = (drift: Drift): boolean => drift.commits_lost !== undefined;

export interface DriftCheck {
  drift: Drift;
  reconciler: ReconcilerProgress;
  reserves: ReserveReport;
}

/** Long enough for Temporal's lists, and for a workflow to show a step that the database has committed. */
const SETTLED_AFTER = '10 seconds';
/** The number of findings in a report. Each is confirmed with Temporal. */
const CONFIRMED = 100;

/**
 * Compares rows, workflows and ledger, and reports the last comparison of the reserves. Changes nothing. Rejects when
 * the database does not answer.
 */
export async function checkDrift(deps: DriftCheckDeps): Promise<DriftCheck> {
  const [{ drift, reconciler }, ledger, reserves] = await Promise.all([
    checkWorkflowDrift(deps),
    ledgerFindings(deps.db),
    reserveReport(deps.db),
  ]);
  return { drift: { ...drift, ledger, ...reserveDrift(reserves) }, reconciler, reserves };
}

/**
 * Compares only rows and workflows. The ledger's checks read the whole ledger; the cost of this comparison does not
 * grow with ended orders.
 */
export async function checkWorkflowDrift(deps: DriftCheckDeps): Promise<Omit<DriftCheck, 'reserves'>> {
  const [drift, reconciler] = await Promise.all([compareWorkflows(deps), reconcilerProgress(deps.db)]);
  return { drift, reconciler };
}

/** Returns nothing if Temporal does not answer. */
async function compareWorkflows({
  db,
  gateway,
  log,
  settledAfter = SETTLED_AFTER,
}: DriftCheckDeps): Promise<Drift> {
  const silent = (error?: unknown): undefined =>
    void log.warn({ err: error }, 'Temporal does not list the workflows that run');
  const running = (await gateway.isReachable()) ? await gateway.runningOrders().catch(silent) : silent();
  if (!running) return {};
  const { orders } = await observeOrders(db, running, settledAfter);
  const suspects = [...new Set([...orders.keys(), ...running.keys()])].flatMap((orderId) => {
    const kind = workflowDrift(orders.get(orderId), running.get(orderId));
    return kind ? [{ kind, orderId }] : [];
  });
  const ids = suspects.map(({ orderId }) => orderId);
  const moved = await recentlyMoved(db, ids, settledAfter);
  const settled = suspects.filter(({ orderId }) => !moved.has(orderId));
  // Drift that pages somebody must be certain. The description of one workflow does not lag, as the list does.
  const denied = new Set<number>();
  for (const { kind, orderId } of settled
    .filter(({ kind }) => !DRIFT_KINDS[kind].mended)
    .slice(0, CONFIRMED)) {
    const described = await gateway.runningOrder(orderId).then((workflow) => ({ workflow }), silent);
    if (!described) return {};
    if (workflowDrift(orders.get(orderId), described.workflow) !== kind) denied.add(orderId);
  }
  const certain = settled.filter(({ orderId }) => !denied.has(orderId));
  const findingsOf = (wanted: DriftKind): Finding[] =>
    certain.flatMap(({ kind, orderId }) => (kind === wanted ? [disagreement(kind, orderId)] : []));
  const drift = WORKFLOW_DRIFT.map((kind) => [kind, findingsOf(kind)]);
  return { ...Object.fromEntries(drift), commits_lost: await ordersWithLostCommits(db) };

  function disagreement(kind: DriftKind, orderId: number): Finding {
    return {
      ...{ orderId, where: `order ${orderId}` },
      what: `rows and workflows agree (${kind.replaceAll('_', ' ')})`,
      expected: rowText(orders.get(orderId)),
      found: workflowText(running?.get(orderId)),
    };
  }
}

/** The last event of such an order reports the loss, so no admin has unfrozen or resolved the order since. */
const LOST_COMMITS = `
  select o.id as "orderId", 'order ' || o.id as "where", 'the database has all commits' as what,
    'an admin to decide' as expected, e.reason as found
  from orders o
  join order_event e on e.order_id = o.id and e.seq = o.version and e.cause = 'lost-commits'
  where o.status not in ('completed', 'cancelled') order by o.id`;

const ordersWithLostCommits = (db: Database) =>
  db.query<Required<Finding>>('drift-lost-commits', LOST_COMMITS, []);

function rowText(order: OrderFacts | undefined): string {
  if (!order) return 'no such order';
  const { status, version, webhooks } = order;
  const owed = webhooks.length > 0 ? `, owes ${webhooks.length} webhooks` : '';
  return `${status}, version ${version}${owed}`;
}

const workflowText = (workflow: ObservedWorkflow | undefined): string =>
  workflow ? `${workflow.status ?? 'unknown'}, version ${workflow.version ?? 'unknown'}` : 'no workflow';
