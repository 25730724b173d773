import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { ledgerDrift } from '../db/queries/ledger-drift.ts';
import { ordersNeedingWorkflow, ordersToReconcile, recentlyMoved } from '../db/queries/reconciled-orders.ts';
import { type ReconcilerProgress, reconcilerProgress } from '../db/queries/reconciler-progress.ts';
import {
  DRIFT_KINDS,
  type DriftKind,
  type OrderFacts,
  type WorkflowBelief,
  workflowDrift,
} from '../domain/drift.ts';
import type { OrderGateway } from './gateway.ts';

export interface DriftCheckDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
}

export interface DriftFinding {
  kind: DriftKind;
  /** Null where it is not about one order's workflow. */
  orderId: number | null;
  where: string;
  expected: string;
  found: string;
}

export interface DriftCheck {
  checkedAt: Date;
  findings: DriftFinding[];
  /** False: Temporal does not answer, so that only the ledger was looked at. */
  temporal: boolean;
  reconciler: ReconcilerProgress;
}

/** Temporal's lists lag, and a step is committed before its workflow shows it: what has just moved is left alone. */
const SETTLED_AFTER = '10 seconds';
/** As many as a report shows are asked for one by one. */
const CONFIRMED = 100;

/** Compares rows, workflows and ledger. Changes nothing. Rejects when the database is away. */
export async function checkDrift(deps: DriftCheckDeps): Promise<DriftCheck> {
  const [check, ledger] = await Promise.all([checkWorkflowDrift(deps), ledgerDrift(deps.db)]);
  const inLedger = ledger.map(
    ({ what, where, expected, found }): DriftFinding => ({
      ...{ kind: 'ledger', orderId: null },
      ...{ where: `${what}: ${where}`, expected, found },
    }),
  );
  return { ...check, checkedAt: new Date(), findings: [...check.findings, ...inLedger] };
}

/** The same without the ledger, whose proof reads all of it: this is no dearer for the orders that have ended. */
export async function checkWorkflowDrift(deps: DriftCheckDeps): Promise<DriftCheck> {
  const [workflows, reconciler] = await Promise.all([findWorkflowDrift(deps), reconcilerProgress(deps.db)]);
  return {
    checkedAt: new Date(),
    findings: workflows ?? [],
    temporal: workflows !== undefined,
    reconciler,
  };
}

/** Undefined where Temporal does not answer. */
async function findWorkflowDrift({ db, gateway, log }: DriftCheckDeps): Promise<DriftFinding[] | undefined> {
  if (!(await gateway.isReachable())) return undefined;
  // First what runs, then what should: an order that ends in between is in neither.
  const running = await fromTemporal(gateway.runningOrders());
  if (!running) return undefined;
  const needing = await ordersNeedingWorkflow(db, SETTLED_AFTER);
  const orders = new Map(needing.map((order) => [order.id, order]));
  const others = await ordersToReconcile(
    db,
    [...running.keys()].filter((id) => !orders.has(id)),
  );
  for (const order of others) orders.set(order.id, order);

  const suspects = [...new Set([...orders.keys(), ...running.keys()])].flatMap((orderId) => {
    const kind = workflowDrift(orders.get(orderId), running.get(orderId));
    return kind ? [{ kind, orderId }] : [];
  });
  const moved = await recentlyMoved(
    db,
    suspects.map(({ orderId }) => orderId),
    SETTLED_AFTER,
  );
  const settled = suspects.filter(({ orderId }) => !moved.has(orderId));
  // What calls people must be so: the workflow itself is asked, which does not lag as the list does.
  const untrue = new Set<number>();
  for (const { kind, orderId } of settled
    .filter(({ kind }) => !DRIFT_KINDS[kind].mended)
    .slice(0, CONFIRMED)) {
    const answer = await fromTemporal(gateway.runningOrder(orderId).then((belief) => ({ belief })));
    if (!answer) return undefined;
    if (workflowDrift(orders.get(orderId), answer.belief) !== kind) untrue.add(orderId);
  }
  return settled
    .filter(({ orderId }) => !untrue.has(orderId))
    .map(({ kind, orderId }) => ({
      ...{ kind, orderId, where: `order ${orderId}` },
      expected: rowInWords(orders.get(orderId)),
      found: workflowInWords(running.get(orderId)),
    }));

  async function fromTemporal<T>(answer: Promise<T>): Promise<T | undefined> {
    return answer.catch((error) => {
      log.warn({ err: error }, 'Temporal does not say which workflows run');
      return undefined;
    });
  }
}

function rowInWords(order: OrderFacts | undefined): string {
  if (!order) return 'no such order';
  const { status, version, webhooks } = order;
  return [
    `${status}, version ${version}`,
    ...(webhooks.length > 0 ? [`owes ${webhooks.length} webhooks`] : []),
  ].join(', ');
}

const workflowInWords = (workflow: WorkflowBelief | undefined): string =>
  workflow ? `${workflow.status ?? 'unknown'}, version ${workflow.version ?? 'unknown'}` : 'no workflow';
