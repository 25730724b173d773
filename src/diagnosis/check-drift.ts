import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import {
  DRIFT_KINDS,
  type DriftKind,
  type ObservedWorkflow,
  type OrderFacts,
  workflowDrift,
} from '../domain/workflow-drift.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { observeOrders } from '../upkeep/observe-orders.ts';
import { recentlyMoved } from '../upkeep/reconciled-orders.ts';
import { type ReconcilerProgress, reconcilerProgress } from '../upkeep/reconciler-progress.ts';
import { ledgerFindings } from './checks/ledger.ts';
import type { Finding } from './finding.ts';
import { type ReserveReport, reserveFindings, reserveReport } from './reserves.ts';

export interface DriftCheckDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  /** PostgreSQL interval. Temporal's lists lag, so an order that moved within this time is not compared. */
  settledAfter?: string | undefined;
}

export interface DriftFinding extends Finding {
  kind: DriftKind;
  /** Null: the finding does not concern one order's workflow. */
  orderId: number | null;
}

export interface DriftCheck {
  checkedAt: Date;
  findings: DriftFinding[];
  /** False: Temporal does not answer, so only the ledger was checked. */
  temporal: boolean;
  reserves: ReserveReport;
  reconciler: ReconcilerProgress;
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
  const [check, ledger, reserves] = await Promise.all([
    checkWorkflowDrift(deps),
    ledgerFindings(deps.db),
    reserveReport(deps.db),
  ]);
  const elsewhere = [
    ...ledger.map((finding) => ({ ...finding, kind: 'ledger' as const, orderId: null })),
    ...reserveFindings(reserves).map((finding) => ({
      ...{ ...finding, kind: 'reserve_shortfall' as const, orderId: null },
    })),
  ];
  return { ...check, reserves, checkedAt: new Date(), findings: [...check.findings, ...elsewhere] };
}

/**
 * Compares only rows and workflows. The ledger's checks read the whole ledger; the cost of this comparison does not
 * grow with ended orders.
 */
export async function checkWorkflowDrift(deps: DriftCheckDeps): Promise<Omit<DriftCheck, 'reserves'>> {
  const [findings, reconciler] = await Promise.all([
    workflowFindings(deps).catch((error: unknown) => {
      if (!(error instanceof TemporalSilent)) throw error;
      deps.log.warn({ err: error.cause }, 'Temporal does not list the workflows that run');
      return undefined;
    }),
    reconcilerProgress(deps.db),
  ]);
  return { checkedAt: new Date(), findings: findings ?? [], temporal: findings !== undefined, reconciler };
}

class TemporalSilent extends Error {}
const fromTemporal = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error) => {
    throw new TemporalSilent('Temporal does not answer', { cause: error });
  });

async function workflowFindings({
  db,
  gateway,
  settledAfter = SETTLED_AFTER,
}: DriftCheckDeps): Promise<DriftFinding[]> {
  if (!(await gateway.isReachable())) throw new TemporalSilent('Temporal cannot be reached');
  const running = await fromTemporal(gateway.runningOrders());
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
  const callingPeople = settled.filter(({ kind }) => !DRIFT_KINDS[kind].mended).slice(0, CONFIRMED);
  for (const { kind, orderId } of callingPeople) {
    const workflow = await fromTemporal(gateway.runningOrder(orderId));
    if (workflowDrift(orders.get(orderId), workflow) !== kind) denied.add(orderId);
  }
  const disagreeing = settled
    .filter(({ orderId }) => !denied.has(orderId))
    .map(({ kind, orderId }) => ({
      ...{ kind, orderId, where: `order ${orderId}` },
      what: `rows and workflows agree (${kind.replaceAll('_', ' ')})`,
      expected: rowText(orders.get(orderId)),
      found: workflowText(running.get(orderId)),
    }));
  return [...disagreeing, ...(await ordersWithLostCommits(db))];
}

/** The last event of such an order reports the loss, so no admin has unfrozen or resolved the order since. */
const LOST_COMMITS = `
  select o.id, e.reason from orders o
  join order_event e on e.order_id = o.id and e.seq = o.version and e.cause = 'lost-commits'
  where o.status not in ('completed', 'cancelled') order by o.id`;

async function ordersWithLostCommits(db: Database): Promise<DriftFinding[]> {
  const rows = await db.query<{ id: number; reason: string }>('drift-lost-commits', LOST_COMMITS, []);
  return rows.map(({ id, reason }) => ({
    ...{ kind: 'commits_lost' as const, orderId: id, where: `order ${id}` },
    ...{ what: 'the database has all commits', expected: 'an admin to decide', found: reason },
  }));
}

function rowText(order: OrderFacts | undefined): string {
  if (!order) return 'no such order';
  const { status, version, webhooks } = order;
  const owed = webhooks.length > 0 ? `, owes ${webhooks.length} webhooks` : '';
  return `${status}, version ${version}${owed}`;
}

const workflowText = (workflow: ObservedWorkflow | undefined): string =>
  workflow ? `${workflow.status ?? 'unknown'}, version ${workflow.version ?? 'unknown'}` : 'no workflow';
