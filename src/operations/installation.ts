import { Counter, Gauge, Registry } from '@prometheus-io/client';
import type { Chain } from '../domain/assets.ts';
import { remembered, rememberedMeanwhile } from '../process/remembered.ts';
import {
  checkWorkflowDrift,
  type DriftCheck,
  type DriftCheckDeps,
  knowsWorkflows,
} from './diagnosis/check-drift.ts';
import { ledgerFindings } from './diagnosis/checks/ledger.ts';
import type { Drift } from './diagnosis/drift.ts';
import { type ReserveReport, reserveDrift, reserveReport } from './diagnosis/reserves.ts';
import { type ServiceFacts, serviceFacts } from './statistics/service-facts.ts';

/** Sources are read at most this often, even if Prometheus scrapes more often. */
const FRESH_MS = { database: 5_000, drift: 10_000 };
/** A scrape waits at most this long, then reports the previous result. */
const WAIT_MS = 3_000;

export interface InstallationDeps extends DriftCheckDeps {
  /** The chains on which Corridor verifies payments. */
  chains: readonly Chain[];
  /** Milliseconds in which an admin has to resolve a dispute of an order whose LP has not reported the fiat. */
  disputeSla: number;
}

/** A source of metrics. Each fails independently of the others. */
type Source = 'database' | 'workflows' | 'ledger' | 'reserves';

/**
 * Metrics of the whole installation, read from the database and Temporal, in the text format of Prometheus. Every API
 * process reports the same. A number that cannot be read is omitted, because a stale one would hide the failure.
 */
export function createInstallationMetrics(deps: InstallationDeps): () => Promise<string> {
  const late = (error: unknown) =>
    deps.log.warn({ err: error }, 'metrics could not be read from their source');
  const slow = { freshMs: FRESH_MS.drift, waitMs: WAIT_MS, late };
  const facts = remembered(() => serviceFacts(deps.db), FRESH_MS.database);
  const workflowDrift = rememberedMeanwhile(() => checkWorkflowDrift(deps), slow);
  const ledger = rememberedMeanwhile(() => ledgerFindings(deps.db), slow);
  const reserves = remembered(() => reserveReport(deps.db), FRESH_MS.database);
  const unlessFailed = <T>(read: () => Promise<T>) =>
    read().catch((error) => {
      late(error);
      return undefined;
    });

  return async () => {
    const [service, workflows, books, held] = await Promise.all([
      unlessFailed(facts),
      unlessFailed(workflowDrift),
      unlessFailed(ledger),
      unlessFailed(reserves),
    ]);
    const registry = new Registry();
    if (service) reportService(registry, service, deps);
    if (workflows) reportReconciler(registry, workflows.reconciler);
    if (held) reportReserves(registry, held);
    const drift: Drift = {
      ...workflows?.drift,
      ...(books && { ledger: books }),
      ...(held && reserveDrift(held)),
    };
    reportDrift(registry, drift);
    reportSources(registry, {
      database: service !== undefined,
      workflows: knowsWorkflows(drift),
      ledger: books !== undefined,
      reserves: drift.reserve_shortfall !== undefined,
    });
    return registry.metrics();
  };
}

function reportService(
  registry: Registry,
  facts: ServiceFacts,
  { chains, disputeSla }: Pick<InstallationDeps, 'chains' | 'disputeSla'>,
): void {
  const registers = [registry];
  reportEach(registry, 'corridor_orders', 'Orders by status', 'status', facts.orders);
  reportEach(
    registry,
    'corridor_order_oldest_age_seconds',
    'Longest time that an order has been in a status; 0: no order is',
    'status',
    facts.oldest,
  );
  reportEach(
    registry,
    'corridor_verification_oldest_age_seconds',
    'Age of the oldest unverified payment; 0: there is none',
    'chain',
    { ...Object.fromEntries(chains.map((chain) => [chain, 0])), ...facts.oldestVerification },
  );
  reportEach(
    registry,
    'corridor_pauses',
    'Pauses of new payments and claims in force, by what they name',
    'scope',
    facts.pauses,
  );
  reportEach(
    registry,
    'corridor_incidents',
    'Open incidents, by what is out of order',
    'scope',
    facts.incidents,
  );
  reportEach(
    registry,
    'corridor_processes',
    'Processes with a recent heartbeat, by the part of the service that they run',
    'part',
    facts.processes,
  );
  new Gauge({
    name: 'corridor_order_overdue_seconds',
    help: 'Longest time that an order has been past its deadline without moving',
    registers,
  }).set(facts.overdue);
  new Gauge({
    name: 'corridor_dispute_overdue_seconds',
    help: 'Longest time by which a dispute before any fiat, or a frozen order, has exceeded DISPUTE_SLA without an admin’s decision',
    registers,
  }).set(Math.max(0, facts.oldestForAdmin - disputeSla / 1_000));
  new Gauge({
    name: 'corridor_feed_delay_seconds',
    help: 'Age of the oldest event that an open transaction keeps from the order feed; 0: there is none',
    registers,
  }).set(facts.feedDelay);
  new Gauge({
    name: 'corridor_webhooks_pending',
    help: 'Pending webhooks',
    registers,
  }).set(facts.webhooks.pending);
  new Gauge({
    name: 'corridor_webhook_oldest_pending_age_seconds',
    help: 'Age of the oldest pending webhook, without redeliveries',
    registers,
  }).set(facts.webhooks.oldest);
}

function reportReconciler(
  registry: Registry,
  { lastRunAt, startedWorkflows }: DriftCheck['reconciler'],
): void {
  const registers = [registry];
  new Gauge({
    name: 'corridor_reconciler_last_run_timestamp_seconds',
    help: 'Time of the reconciler’s last complete run in any worker; 0 before its first',
    registers,
  }).set(lastRunAt === null ? 0 : Date.parse(lastRunAt) / 1_000);
  new Counter({
    name: 'corridor_reconciler_started_workflows_total',
    help: 'Missing workflows that the reconciler has ever started, in all workers',
    registers,
  }).inc(startedWorkflows);
}

/** Amounts are floats here, as all values of metrics. Reports only balances that were read. */
function reportReserves(registry: Registry, { result, owed, holdings }: ReserveReport): void {
  if (owed === null || result === 'not_compared') return;
  new Gauge({
    name: 'corridor_reserve_owed_usd',
    help: 'What LPs are owed, without collateral on simulated chains',
    registers: [registry],
  }).set(Number(owed.total));
  const ofToken = { labelNames: ['chain', 'symbol'] as const, registers: [registry] };
  const held = new Gauge({
    name: 'corridor_reserve_held_usd',
    help: 'What the platform’s addresses hold of a token on a chain',
    ...ofToken,
  });
  const booked = new Gauge({
    name: 'corridor_reserve_booked_usd',
    help: 'Confirmed deposits less payouts of a token on a chain',
    ...ofToken,
  });
  for (const { chain, symbol, ...amounts } of holdings) {
    if (amounts.unread === null) held.set({ chain, symbol }, Number(amounts.held));
    booked.set({ chain, symbol }, Number(amounts.booked));
  }
}

function reportDrift(registry: Registry, drift: Drift): void {
  reportEach(
    registry,
    'corridor_drift',
    'Disagreements between rows, workflows, ledger and chains by kind; a missing kind could not be checked',
    'kind',
    Object.fromEntries(Object.entries(drift).map(([kind, findings]) => [kind, findings.length])),
  );
}

function reportSources(registry: Registry, sources: Record<Source, boolean>): void {
  const help = 'Whether the source of these metrics answered: 1, or 0 and its metrics are omitted';
  const up = Object.entries(sources).map(([source, answers]) => [source, answers ? 1 : 0]);
  reportEach(registry, 'corridor_metrics_source_up', help, 'source', Object.fromEntries(up));
}

function reportEach(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: Record<string, number>,
): void {
  const gauge = new Gauge({ name, help, labelNames: [label], registers: [registry] });
  for (const [value, number] of Object.entries(values)) gauge.set({ [label]: value }, number);
}
