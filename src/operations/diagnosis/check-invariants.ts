import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { DRIFT_KINDS, type DriftKind } from '../../domain/workflow-drift.ts';
import type { OrderGateway } from '../../temporal/gateway.ts';
import { checkWorkflowDrift } from './check-drift.ts';
import { CLAIMS } from './checks/claims.ts';
import { HISTORY } from './checks/history.ts';
import { IDEMPOTENCY } from './checks/idempotency.ts';
import { ledgerFindings } from './checks/ledger.ts';
import { TRANSACTIONS } from './checks/transactions.ts';
import { WEBHOOKS } from './checks/webhooks.ts';
import { type Finding, findingsOf, runChecks } from './finding.ts';
import { reserveDrift, reserveReport } from './reserves.ts';

export const INVARIANTS = { ...HISTORY, ...CLAIMS, ...TRANSACTIONS, ...WEBHOOKS, ...IDEMPOTENCY };

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
  const { db, gateway, agreeWithinMs = 10_000 } = deps;
  return [
    ...findingsOf(await runChecks(db, INVARIANTS)),
    ...(await ledgerFindings(db)),
    ...(reserveDrift(await reserveReport(db)).reserve_shortfall ?? []),
    ...(gateway ? await workflowFindings({ ...deps, gateway }, Date.now() + agreeWithinMs) : []),
  ];
}

/** Waits for the reconciler to repair what it can, and for Temporal to answer. */
async function workflowFindings(
  deps: InvariantDeps & { gateway: OrderGateway },
  until: number,
): Promise<Finding[]> {
  for (;;) {
    const drift = Object.entries((await checkWorkflowDrift(deps)).drift);
    const isLast = Date.now() >= until;
    if (drift.length === 0 && isLast)
      throw new Error(
        'Temporal does not list the workflows that run. TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TLS_… must be those of a worker',
      );
    const mended = drift.filter(([kind]) => DRIFT_KINDS[kind as DriftKind].mended);
    if (drift.length > 0 && (isLast || mended.every(([, found]) => found.length === 0)))
      return drift.flatMap(([, found]) => found);
    await delay(LOOK_EVERY_MS);
  }
}
