import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { ledgerDrift } from '../db/queries/ledger-drift.ts';
import { type ServiceFacts, serviceFacts } from '../db/queries/service-facts.ts';
import type { Chain } from '../domain/assets.ts';
import { DRIFT_KINDS } from '../domain/drift.ts';
import { checkWorkflowDrift, type DriftCheck, type DriftCheckDeps } from '../orders/check-drift.ts';
import { remembered, rememberedMeanwhile } from './remembered.ts';

/** However often it is scraped, nothing is looked at more often than this. */
const FRESH_MS = { database: 5_000, drift: 10_000 };
/** What takes longer than Prometheus waits is told as it was the last time. */
const PATIENCE_MS = 3_000;

export interface InstallationDeps extends DriftCheckDeps {
  /** On which payments are looked for. */
  chains: readonly Chain[];
}

/** A place that is looked into; it fails apart from the others. */
type Source = 'database' | 'workflows' | 'ledger';

/**
 * What the database and Temporal say of the installation, in the text format of Prometheus; the same from every API
 * process. A number that could not be had this time is left out, and not told as it was the last time.
 */
export function createInstallationMetrics(deps: InstallationDeps): () => Promise<string> {
  const late = (error: unknown) => deps.log.warn({ err: error }, 'a look for the metrics has failed');
  const slow = { freshMs: FRESH_MS.drift, patienceMs: PATIENCE_MS, late };
  const facts = remembered(() => serviceFacts(deps.db), FRESH_MS.database);
  const drift = rememberedMeanwhile(() => checkWorkflowDrift(deps), slow);
  const ledger = rememberedMeanwhile(() => ledgerDrift(deps.db), slow);
  const unlessFailed = <T>(look: () => Promise<T>) =>
    look().catch((error) => {
      late(error);
      return undefined;
    });

  return async () => {
    const [service, workflows, books] = await Promise.all([
      unlessFailed(facts),
      unlessFailed(drift),
      unlessFailed(ledger),
    ]);
    const registry = new Registry();
    if (service) tellService(registry, service, deps.chains);
    if (workflows) tellReconciler(registry, workflows.reconciler);
    tellDrift(registry, { workflows, ledger: books?.length });
    tellSources(registry, {
      database: service !== undefined,
      workflows: workflows?.temporal ?? false,
      ledger: books !== undefined,
    });
    return registry.metrics();
  };
}

function tellService(registry: Registry, facts: ServiceFacts, chains: readonly Chain[]): void {
  const registers = [registry];
  tellEach(registry, 'corridor_orders', 'Orders by status', 'status', facts.orders);
  tellEach(
    registry,
    'corridor_order_oldest_age_seconds',
    'How long the order that has stood longest in a status has stood in it; 0: none does',
    'status',
    facts.oldest,
  );
  tellEach(
    registry,
    'corridor_verification_oldest_age_seconds',
    'How long the payment that has been looked for longest has been; 0: none is',
    'chain',
    { ...Object.fromEntries(chains.map((chain) => [chain, 0])), ...facts.oldestVerification },
  );
  tellEach(
    registry,
    'corridor_processes',
    'Processes that have lately said that they carry a part of the service',
    'part',
    facts.processes,
  );
  new Gauge({
    name: 'corridor_order_overdue_seconds',
    help: 'How long ago the deadline was that an order should have moved at, and has not; the longest',
    registers,
  }).set(facts.overdue);
  new Gauge({
    name: 'corridor_webhooks_pending',
    help: 'Webhooks that are owed',
    registers,
  }).set(facts.webhooks.pending);
  new Gauge({
    name: 'corridor_webhook_oldest_pending_age_seconds',
    help: 'How long the oldest webhook that is owed has been; of those sent again on request none counts',
    registers,
  }).set(facts.webhooks.oldest);
}

function tellReconciler(registry: Registry, { lastRunAt, startedWorkflows }: DriftCheck['reconciler']): void {
  const registers = [registry];
  new Gauge({
    name: 'corridor_reconciler_last_run_timestamp_seconds',
    help: 'When the reconciler last did what it had to, in any worker; 0 before its first time',
    registers,
  }).set(lastRunAt === null ? 0 : Date.parse(lastRunAt) / 1_000);
  new Counter({
    name: 'corridor_reconciler_started_workflows_total',
    help: 'Missing workflows that the reconciler started, in all workers and ever',
    registers,
  }).inc(startedWorkflows);
}

function tellDrift(
  registry: Registry,
  { workflows, ledger }: { workflows: DriftCheck | undefined; ledger: number | undefined },
): void {
  const kinds = Object.keys(DRIFT_KINDS).flatMap((kind): [string, number][] => {
    if (kind === 'ledger') return ledger === undefined ? [] : [[kind, ledger]];
    if (!workflows?.temporal) return [];
    return [[kind, workflows.findings.filter((finding) => finding.kind === kind).length]];
  });
  tellEach(
    registry,
    'corridor_drift',
    'Disagreements between rows, workflows and ledger by kind; without a kind, it could not be looked at',
    'kind',
    Object.fromEntries(kinds),
  );
}

function tellSources(registry: Registry, sources: Record<Source, boolean>): void {
  const help = 'Whether what these numbers are read from answered: 1, or 0 and they are left out';
  const up = Object.entries(sources).map(([source, answers]) => [source, answers ? 1 : 0]);
  tellEach(registry, 'corridor_metrics_source_up', help, 'source', Object.fromEntries(up));
}

function tellEach(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: Record<string, number>,
): void {
  const gauge = new Gauge({ name, help, labelNames: [label], registers: [registry] });
  for (const [value, number] of Object.entries(values)) gauge.set({ [label]: value }, number);
}
