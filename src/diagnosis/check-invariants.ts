import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { DRIFT_KINDS } from '../domain/workflow-drift.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { checkWorkflowDrift, type DriftFinding } from './check-drift.ts';
import { CLAIMS } from './checks/claims.ts';
import { HISTORY } from './checks/history.ts';
import { IDEMPOTENCY } from './checks/idempotency.ts';
import { ledgerFindings } from './checks/ledger.ts';
import { TRANSACTIONS } from './checks/transactions.ts';
import { WEBHOOKS } from './checks/webhooks.ts';
import { type Finding, findingsOf, runChecks } from './finding.ts';
import { reserveFindings, reserveReport } from './reserves.ts';

export const INVARIANTS = { ...HISTORY, ...CLAIMS, ...TRANSACTIONS, ...WEBHOOKS, ...IDEMPOTENCY };

const AGREE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

export interface InvariantDeps {
  db: Database;
  /** Without it the workflows are not checked. */
  gateway?: OrderGateway | undefined;
  log: Logger;
  /** How long a row and its workflow may disagree; ten seconds by default. */
  agreeWithinMs?: number | undefined;
  /** See `DriftCheckDeps`. */
  settledAfter?: string | undefined;
}

/**
 * Checks everything that Corridor promises and that its database and Temporal can prove. A sound installation has no
 * findings, even while it processes orders. Changes nothing. Rejects when the database or Temporal does not answer.
 */
export async function checkInvariants(deps: InvariantDeps): Promise<Finding[]> {
  const { db, gateway, log, agreeWithinMs = AGREE_WITHIN_MS, settledAfter } = deps;
  return [
    ...findingsOf(await runChecks(db, INVARIANTS)),
    ...(await ledgerFindings(db)),
    ...reserveFindings(await reserveReport(db)),
    ...(gateway ? await workflowFindings() : []),
  ];

  /** Waits for the reconciler to repair what it can. */
  async function workflowFindings(): Promise<Finding[]> {
    const until = Date.now() + agreeWithinMs;
    let findings = await lookAtWorkflows();
    while (findings.some(({ kind }) => DRIFT_KINDS[kind].mended) && Date.now() < until) {
      await delay(LOOK_EVERY_MS);
      findings = await lookAtWorkflows();
    }
    return findings;
  }

  async function lookAtWorkflows(): Promise<DriftFinding[]> {
    const observed = { db, gateway: gateway as OrderGateway, log, settledAfter };
    const { findings, temporal } = await checkWorkflowDrift(observed);
    if (!temporal) throw new Error('Temporal does not list the workflows that run');
    return findings;
  }
}
