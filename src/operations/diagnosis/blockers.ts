import { scopeOf } from '../../db/incidents.ts';
import { MAX_ATTEMPTS } from '../../domain/delivery-state.ts';
import { incidentName } from '../../domain/incident.ts';
import { type DriftKind, type ObservedWorkflow, workflowDrift } from '../../domain/workflow-drift.ts';
import type { ListedDelivery } from '../../notify/webhooks/list-deliveries.ts';
import {
  countActiveWorkers,
  type OrderDescription,
  type PendingActivity,
} from '../../temporal/describe-order.ts';
import type { OrderCase } from './order-case.ts';

/** The parts that can block an order. */
export type Part =
  | 'freeze'
  | 'pause'
  | 'incident'
  | 'agent key'
  | 'database'
  | 'temporal'
  | 'worker'
  | 'api'
  | 'liquidity'
  | 'workflow'
  | 'chain'
  | 'webhook receiver';

/**
 * A failing part of the service or its environment, and the evidence. The parties that have to act are not blockers.
 */
export interface Blocker {
  part: Part;
  what: string;
}

/** Why the database or Temporal could not be queried, in one line. */
export interface Unanswered {
  why: string;
}

/** What goes wrong, or that nothing does. */
type Trouble = string | false | null | undefined;

/** One or two attempts at a task do not indicate a problem. */
const MANY_TRIES = 3;
/** The results of a chain check while the transaction is not final. They are not failures. */
const NOT_YET = ['pending', 'not_found'];

/** The blockers of an order, the most likely cause first. */
export function blockers(known: OrderCase | Unanswered, described: OrderDescription | Unanswered): Blocker[] {
  const row = 'order' in known ? known : undefined;
  const temporal = 'queue' in described ? described : undefined;
  const by = (part: Part, troubles: Trouble[]): Blocker[] =>
    troubles.flatMap((what) => (what ? [{ part, what }] : []));
  const { api = true, awaySince, unansweredAt } = row?.service ?? {};
  return [
    ...by('freeze', [
      row?.order.frozen_ms != null &&
        `no command and no deadline moves it until an admin unfreezes it: ${row.order.status_reason ?? 'no reason is recorded'}`,
    ]),
    ...by(
      'pause',
      (row?.pauses ?? []).map((reason) => `new payments and claims are paused: ${reason}`),
    ),
    ...by(
      'incident',
      (row?.stoppedBy ?? []).map(
        (incident) =>
          `${incidentName(scopeOf(incident))} has an incident since ${new Date(incident.opened_at).toISOString()}, and the order’s clock stands still until it is closed: ${incident.reason}`,
      ),
    ),
    ...by('agent key', [
      row?.keyExpiredAt &&
        `agent key ${row.order.agent_key_id} expired at ${row.keyExpiredAt}: until an admin prolongs it, no LP can claim the order, and its agent can neither confirm nor settle it`,
    ]),
    ...by('database', ['why' in known && known.why]),
    ...by('temporal', ['why' in described && described.why]),
    ...by('worker', [workerTrouble(row, temporal)]),
    ...by('api', [
      !api && 'no API runs: nobody can act',
      awaySince && `the service has not been complete since ${awaySince}: until it is, no deadline passes`,
    ]),
    ...by('liquidity', [row?.unclaimable]),
    ...by('workflow', [
      unansweredAt && `a request got no answer at ${unansweredAt}`,
      ...(temporal ? workflowTrouble(row, temporal) : []),
    ]),
    ...runningOf(temporal).flatMap(({ activities }) => activities.flatMap((it) => activityTrouble(it, row))),
    ...by('webhook receiver', (row?.deliveries ?? []).map(webhookTrouble)),
  ];
}

const runningOf = (temporal: OrderDescription | undefined) =>
  temporal?.workflow?.execution === 'RUNNING' ? [temporal.workflow] : [];

function workerTrouble(
  row: OrderCase | undefined,
  temporal: OrderDescription | undefined,
): string | undefined {
  // Temporal alone would list workers for a minute after they have stopped.
  if (row && !row.service.worker) return 'no worker runs: nothing moves until one does';
  if (!temporal || countActiveWorkers(temporal.queue) > 0) return undefined;
  const { currentRelease } = temporal.queue;
  const which =
    currentRelease === null ? 'no worker' : `no worker of ${currentRelease}, the current release,`;
  return `${which} asks Temporal for work: nothing moves until one does`;
}

function workflowTrouble(row: OrderCase | undefined, temporal: OrderDescription): Trouble[] {
  const [running] = runningOf(temporal);
  const { taskFailure = null, task } = running ?? {};
  const tries = task?.attempt ?? 0;
  return [
    row && driftTrouble(row, running),
    taskFailure !== null && `its tasks fail, tried ${tries} times: ${taskFailure}`,
    taskFailure === null &&
      tries >= MANY_TRIES &&
      `its task is being tried for the ${tries}th time: do workers die of it?`,
  ];
}

/** How a disagreement of row and workflow blocks the order. Other kinds do not. */
const DRIFT_TROUBLE: Partial<Record<DriftKind, (versions: string) => string>> = {
  order_without_workflow: () =>
    'no workflow runs it: the reconciler starts one within seconds, once a worker runs',
  webhook_without_workflow: () => 'no workflow sends its webhooks: the reconciler starts one within seconds',
  workflow_behind: (versions) => `${versions}: the reconciler refreshes it`,
  workflow_ahead: (versions) => `${versions}: the database has lost something`,
  workflow_without_order: () => 'the order has ended, and its workflow still runs',
};

function driftTrouble(
  { order: { status, version }, deliveries }: OrderCase,
  running: ObservedWorkflow | undefined,
): string | undefined {
  const owed = deliveries.filter(({ delivery }) => delivery.state === 'pending');
  const drift = workflowDrift(
    { status, version, webhooks: owed.map(({ delivery }) => delivery.seq) },
    running,
  );
  const versions = `the workflow is at ${running?.status ?? 'unknown'}, version ${running?.version ?? 'unknown'}, the row at ${status}, version ${version}`;
  return drift ? DRIFT_TROUBLE[drift]?.(versions) : undefined;
}

function activityTrouble(
  { name, attempt, lastFailure }: PendingActivity,
  row: OrderCase | undefined,
): Blocker[] {
  if (!lastFailure || NOT_YET.includes(lastFailure.type ?? '')) return [];
  const what = `${name}, attempt ${attempt}: ${lastFailure.message}`;
  // The database counts the attempts of webhooks. If it answers, it has more details.
  if (name === 'deliverWebhook') return row ? [] : [{ part: 'webhook receiver', what }];
  return [{ part: lastFailure.type === 'ChainUnavailable' ? 'chain' : 'workflow', what }];
}

function webhookTrouble(listed: ListedDelivery): string | false {
  const { id, state, attempts, attempts_before } = listed.delivery;
  const last = lastAttempt(listed);
  if (state === 'exhausted')
    return `webhook ${id} was given up: ${last ?? 'no attempt is on record'}. "webhooks redeliver ${id}" sends it again`;
  if (state === 'delivered' || last === null) return false;
  return `webhook ${id}, attempt ${attempts - attempts_before} of ${MAX_ATTEMPTS}: ${last}`;
}

/** The receiver's status or, without a response, the error. Null before the first attempt. */
export function lastAttempt({ attempts }: ListedDelivery): string | null {
  const last = attempts.at(-1);
  return last ? (last.error ?? `the receiver answered ${last.status_code}`) : null;
}
