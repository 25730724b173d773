import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { type Drift, ledgerDrift } from '../db/queries/ledger-drift.ts';
import { orderCounts } from '../db/queries/order-counts.ts';
import { DRIFT_KINDS } from '../domain/drift.ts';
import { checkWorkflowDrift } from '../orders/check-drift.ts';
import type { ApiDeps } from './deps.ts';
import { remembered, rememberedMeanwhile } from './remembered.ts';
import { type Route, route } from './route.ts';

/** However often it is scraped, nothing is looked at more often than this. */
const FRESH_MS = 10_000;
/** Of a large ledger the proof takes longer than Prometheus waits: then that of the last time is told. */
const LEDGER_PATIENCE_MS = 3_000;

/** `GET /metrics`: what the database and Temporal say; the same from every API process. */
export function metricsRoutes(deps: ApiDeps): Route[] {
  const ledger = rememberedMeanwhile(() => ledgerDrift(deps.db), {
    freshMs: FRESH_MS,
    patienceMs: LEDGER_PATIENCE_MS,
    late: (error) => deps.log.warn({ err: error }, 'the ledger could not be proved'),
  });
  const scrape = remembered(async () => metricsText(deps, await ledger()), FRESH_MS);
  return [
    route({
      method: 'get',
      path: '/metrics',
      auth: 'admin',
      summary: 'Read the metrics, for Prometheus',
      description: 'The text format of Prometheus. Looked at anew every ten seconds at most.',
      answers: { 200: { textType: 'text/plain' } },
      refuses: [],
      handle: async () => ({
        status: 200,
        text: { content: await scrape(), type: Registry.PROMETHEUS_CONTENT_TYPE },
      }),
    }),
  ];
}

/** A registry for each look: a number that could not be had this time is left out, not told as it was the last time. */
async function metricsText(deps: ApiDeps, ledger: Drift[] | undefined): Promise<string> {
  const [counts, drift] = await Promise.all([orderCounts(deps.db), checkWorkflowDrift(deps)]);
  const registers = [new Registry()];

  const orders = new Gauge({
    name: 'corridor_orders',
    help: 'Orders by status',
    labelNames: ['status'],
    registers,
  });
  for (const [status, count] of Object.entries(counts)) orders.set({ status }, count);

  const drifts = new Gauge({
    name: 'corridor_drift',
    help: 'Disagreements between rows, workflows and ledger by kind; without a kind, it could not be looked at',
    labelNames: ['kind'],
    registers,
  });
  if (ledger) drifts.set({ kind: 'ledger' }, ledger.length);
  for (const kind of Object.keys(DRIFT_KINDS)) {
    if (!drift.temporal || kind === 'ledger') continue;
    drifts.set({ kind }, drift.findings.filter((finding) => finding.kind === kind).length);
  }

  const { lastRunAt, startedWorkflows } = drift.reconciler;
  const lastRun = new Gauge({
    name: 'corridor_reconciler_last_run_timestamp_seconds',
    help: 'When the reconciler last did what it had to, in any worker; 0 before its first time',
    registers,
  });
  lastRun.set(lastRunAt === null ? 0 : Date.parse(lastRunAt) / 1_000);

  const started = new Counter({
    name: 'corridor_reconciler_started_workflows_total',
    help: 'Missing workflows that the reconciler started, in all workers and ever',
    registers,
  });
  started.inc(startedWorkflows);

  return (registers[0] as Registry).metrics();
}
