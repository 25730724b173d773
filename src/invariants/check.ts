import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { ledgerDrift } from '../db/queries/ledger-drift.ts';
import type { OrderGateway } from '../orders/gateway.ts';
import { type Breach, breachesOf } from './breach.ts';
import { CLAIMS } from './claims.ts';
import { HISTORY } from './history.ts';
import { IDEMPOTENCY } from './idempotency.ts';
import { TRANSACTIONS } from './transactions.ts';
import { WEBHOOKS } from './webhooks.ts';
import { workflowBreaches } from './workflows.ts';

const IN_THE_DATABASE = { ...HISTORY, ...CLAIMS, ...TRANSACTIONS, ...WEBHOOKS, ...IDEMPOTENCY };

/**
 * Everything that Corridor promises and that its database and Temporal can prove; of a sound installation nothing.
 * Changes nothing, and may look at one that is at work. Without a gateway Temporal is left out.
 */
export async function checkInvariants({
  db,
  gateway,
  log,
  agreeWithinMs,
}: {
  db: Database;
  gateway?: OrderGateway | undefined;
  log: Logger;
  /** How long a row and its workflow may disagree; ten seconds where nothing else is said. */
  agreeWithinMs?: number | undefined;
}): Promise<Breach[]> {
  const breaches = await breachesOf(db, IN_THE_DATABASE);
  // The comparison with the workflows proves the ledger, too.
  const others = gateway
    ? await workflowBreaches({ db, gateway, log }, agreeWithinMs)
    : await ledgerDrift(db);
  return [...breaches, ...others];
}

/** A breach in one line. */
export const breachInWords = ({ what, where, expected, found }: Breach): string =>
  `${what}: ${where}: expected ${expected}, found ${found}`;
