import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { crashPoint } from '../crash-point.ts';
import type { Database } from '../db/orm.ts';
import {
  ordersNeedingWorkflow,
  ordersToReconcile,
  overdueOrders,
  type ReconciledOrder,
  silentOrders,
} from '../db/queries/reconciled-orders.ts';
import { noteProgress } from '../db/queries/reconciler-progress.ts';
import { workflowDrift } from '../domain/drift.ts';
import { createFailingWorkflows } from './failing-workflows.ts';
import type { OrderGateway } from './gateway.ts';
import { createLaggingWorkflows } from './lagging-workflows.ts';
import { keepLpStatistics, keepOrderTotals } from './lp-statistics.ts';
import { repeatOffers } from './offers.ts';
import { createReopenedWebhooks } from './reopened-webhooks.ts';
import { startOrder } from './start-order.ts';

export interface ReconcilerDeps {
  db: Database;
  gateway: OrderGateway;
  log: Logger;
  settings: Pick<Config, 'durations' | 'strikeCoolDown'>;
}

export interface Reconciler {
  /** Starts what is missing, and gives how many workflows that were; undefined when another process is at it. */
  runOnce: () => Promise<number | undefined>;
  close: () => Promise<void>;
}

const EVERY_MS = 3_000;
/** Younger orders are left alone: their workflow may be starting this moment. */
const SETTLED_AFTER = '5 seconds';
/** Starts on their way at once. */
const AT_ONCE = 10;
/** After an absence of the service a workflow asks again once a minute at least whether its deadline counts. */
const OVERDUE_BY = '3 minutes';
/** A webhook is tried within moments, where nothing is in its way. */
const SILENT_FOR = '30 seconds';
const LOCK = 7_266_002;
const KEEP_OUTCOMES = '1 day';

const PRUNE_OUTCOMES = `delete from order_outcome where created_at < now() - interval '${KEEP_OUTCOMES}'`;
// A signal may wait in Temporal for as long as no worker is there.
const PRUNE_NOTES = `delete from request_note where created_at < now() - interval '30 days'`;
const PRUNE_RATE_LOCKS = `delete from rate_lock where order_id is null and expires_at < now() - interval '1 day'`;
const PRUNE_UNANSWERED = `delete from unanswered_order where asked_at < now() - interval '1 hour'`;
const PRUNE_RATE_WINDOWS = `delete from rate_window where updated_at < now() - interval '1 hour'`;

/**
 * Sees to it that every order that is not at its end, or still owes a webhook, has a workflow: after a payment whose
 * start failed, and after Temporal lost what it knew; and to workflows that lag or fail
 * (`lagging-workflows.ts`, `failing-workflows.ts`). It lives beside
 * the workers and not inside Temporal, whose store may be what was lost; an advisory lock lets one process at a time do it.
 */
export function createReconciler({ db, gateway, log, settings }: ReconcilerDeps): Reconciler {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const seeToLagging = createLaggingWorkflows({ gateway, log, durations: settings.durations });
  const seeToFailing = createFailingWorkflows({ gateway, log, durations: settings.durations });
  const tellOfReopened = createReopenedWebhooks({ db, gateway, log });
  schedule(0);

  return {
    runOnce,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };

  function schedule(afterMs = EVERY_MS) {
    if (closed) return;
    timer = setTimeout(() => {
      running = runOnce()
        .then(() => undefined)
        .catch((error) => log.warn({ err: error }, 'reconciliation failed; trying again'))
        .then(() => schedule());
    }, afterMs);
  }

  async function runOnce(): Promise<number | undefined> {
    const connection = await db.pool.connect();
    let broken = true;
    try {
      const lock = await connection.query('select pg_try_advisory_lock($1) as mine', [LOCK]);
      const mine: boolean = lock.rows[0].mine;
      const started = mine ? await startMissing() : undefined;
      if (mine) await connection.query('select pg_advisory_unlock($1)', [LOCK]);
      broken = false;
      return started;
    } finally {
      connection.release(broken);
    }
  }

  /** First what runs, then what should: an order that ends in between is in neither. */
  async function startMissing(): Promise<number> {
    const running = await gateway.runningOrders().catch(async (error) => {
      log.warn({ err: error }, 'Temporal does not list its workflows; seeing to its namespace');
      await gateway.ensureNamespace(10_000);
      return gateway.runningOrders();
    });
    const orders = await ordersNeedingWorkflow(db, SETTLED_AFTER);
    const needed = new Set(orders.map(({ id }) => id));
    const others = await ordersToReconcile(
      db,
      [...running.keys()].filter((id) => !needed.has(id)),
    );
    const missing = orders.filter(({ id }) => !running.has(id));
    if (missing.length > 0) crashPoint('reconciler.begun');
    const failures = await startAll(missing);
    const behind = [...orders, ...others].filter(
      (order) => running.has(order.id) && workflowDrift(order, running.get(order.id)) === 'workflow_behind',
    );
    const overdue = (await overdueOrders(db, OVERDUE_BY)).filter(({ id }) => running.has(id));
    const lagging = new Map([...behind, ...overdue].map((order) => [order.id, order]));
    failures.push(...(await seeToLagging([...lagging.values()])));
    const silent = (await silentOrders(db, SILENT_FOR)).filter(({ id }) => running.has(id));
    // They should have ended with their order.
    const idle = others.filter(
      (order) => workflowDrift(order, running.get(order.id)) === 'workflow_without_order',
    );
    failures.push(...(await seeToFailing([...silent, ...idle])));
    await tellOfReopened();
    await keepLpStatistics(db);
    await keepOrderTotals(db);
    await repeatOffers({ db, gateway, strikeCoolDown: settings.strikeCoolDown, log }, SETTLED_AFTER);
    await db.query('prune-outcomes', PRUNE_OUTCOMES, []);
    await db.query('prune-notes', PRUNE_NOTES, []);
    await db.query('prune-rate-locks', PRUNE_RATE_LOCKS, []);
    await db.query('prune-unanswered', PRUNE_UNANSWERED, []);
    await db.query('prune-rate-windows', PRUNE_RATE_WINDOWS, []);
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} orders were not seen to`);
    await noteProgress(db, 0);
    return missing.length;
  }

  /** One order that Temporal does not take must not keep the others from theirs; where it takes none, it is away. Gives why. */
  async function startAll(missing: ReconciledOrder[]): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (let i = 0; i < missing.length; i += AT_ONCE) {
      const batch = missing.slice(i, i + AT_ONCE);
      const results = await Promise.allSettled(batch.map(startMissingOne));
      const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      failures.push(...failed);
      if (failed.length === batch.length) break;
      await noteProgress(db, batch.length - failed.length);
    }
    return failures;
  }

  async function startMissingOne(order: ReconciledOrder): Promise<void> {
    const { webhooks } = order;
    await startOrder(gateway, order, settings.durations, { webhooks, autoClaims: true });
    crashPoint('reconciler.started');
    log.info({ orderId: order.id, status: order.status, webhooks }, 'started a missing workflow');
  }
}
