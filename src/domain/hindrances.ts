import { MAX_ATTEMPTS } from './delivery-state.ts';
import { type OrderFacts, type WorkflowBelief, workflowDrift } from './drift.ts';
import { isFinal } from './order-state.ts';

/** The parts that an order can be held up by. */
export type Part = 'database' | 'temporal' | 'worker' | 'api' | 'workflow' | 'chain' | 'webhook receiver';

/** What is in an order's way, apart from those who have to act: a part that fails, and how that shows. */
export interface Hindrance {
  part: Part;
  what: string;
}

/** What was found out about an order. Each half is missing where nobody could be asked, with the reason why. */
export interface Findings {
  database: { why: string } | DatabaseFindings;
  temporal: { why: string } | TemporalFindings;
}

export interface DatabaseFindings {
  order: OrderFacts;
  api: boolean;
  worker: boolean;
  /** ISO 8601; null while the service is there. */
  awaySince: string | null;
  /** ISO 8601; when somebody was last left without an answer. */
  unansweredAt: string | null;
  webhooks: WebhookFindings[];
}

/** A webhook that is owed or was given up. */
export interface WebhookFindings {
  seq: number;
  state: 'pending' | 'exhausted';
  attempts: number;
  /** What came of the last attempt: the receiver's status or, where it gave none, the error. */
  last: string | null;
}

export interface TemporalFindings {
  /** Undefined where none runs. */
  running:
    | (WorkflowBelief & {
        taskAttempts: number;
        taskFailure: string | null;
        activities: {
          name: string;
          attempt: number;
          failure: { type: string | null; message: string } | null;
        }[];
      })
    | undefined;
  /** Workers that are given work. */
  workers: number;
  currentRelease: string | null;
}

/** A task that is tried for the first time or once more is no sign of anything. */
const MANY_TRIES = 3;
/** Failures of a look at a chain that are no failures: it has not come so far yet. */
const NOT_YET = ['pending', 'not_found'];

/** What holds an order up, the most likely cause first. */
export function hindrances({ database, temporal }: Findings): Hindrance[] {
  const row = 'order' in database ? database : undefined;
  const workflows = 'workers' in temporal ? temporal : undefined;
  return [
    ...('why' in database ? [{ part: 'database' as const, what: database.why }] : []),
    ...('why' in temporal ? [{ part: 'temporal' as const, what: temporal.why }] : []),
    ...noWorker(row, workflows),
    ...(row ? silentService(row) : []),
    ...(workflows ? workflowTrouble(row?.order, workflows) : []),
    ...(workflows?.running?.activities ?? []).flatMap((activity) => activityTrouble(activity, row)),
    ...(row?.webhooks ?? []).flatMap(webhookTrouble),
  ];
}

function noWorker(row: DatabaseFindings | undefined, temporal: TemporalFindings | undefined): Hindrance[] {
  // Of those that have gone, Temporal alone would go on telling for a minute.
  if (row && !row.worker) return [{ part: 'worker', what: 'no worker runs: nothing moves until one does' }];
  if (!temporal || temporal.workers > 0) return [];
  const { currentRelease } = temporal;
  const which =
    currentRelease === null ? 'no worker' : `no worker of ${currentRelease}, the current release,`;
  return [{ part: 'worker', what: `${which} asks Temporal for work: nothing moves until one does` }];
}

function silentService({ api, awaySince, unansweredAt }: DatabaseFindings): Hindrance[] {
  return [
    ...(api ? [] : [{ part: 'api' as const, what: 'no API runs: nobody can act' }]),
    ...(awaySince === null
      ? []
      : [
          {
            part: 'api' as const,
            what: `the service has not been there as a whole since ${awaySince}: until it is, no deadline passes`,
          },
        ]),
    ...(unansweredAt === null
      ? []
      : [{ part: 'workflow' as const, what: `a call was left without an answer at ${unansweredAt}` }]),
  ];
}

function workflowTrouble(order: OrderFacts | undefined, { running }: TemporalFindings): Hindrance[] {
  const trouble: string[] = [];
  const drift = order && workflowDrift(order, running);
  if (order && drift === 'order_without_workflow')
    trouble.push('no workflow runs it: the reconciler starts one within seconds, where a worker is there');
  if (order && drift === 'webhook_without_workflow')
    trouble.push('no workflow sends its webhooks: the reconciler starts one within seconds');
  if (order && drift === 'workflow_behind')
    trouble.push(
      `the workflow is at version ${running?.version ?? 'unknown'}, the row at ${order.version}: the reconciler tells it`,
    );
  if (order && drift === 'workflow_ahead')
    trouble.push(
      `the workflow is at version ${running?.version}, the row at ${order.version}: the database has forgotten something`,
    );
  if (order && drift === 'workflow_without_order' && isFinal(order.status))
    trouble.push('the order has ended, and its workflow still runs');
  if (running?.taskFailure != null)
    trouble.push(`its tasks fail, tried ${running.taskAttempts} times: ${running.taskFailure}`);
  else if ((running?.taskAttempts ?? 0) >= MANY_TRIES)
    trouble.push(`its task is being tried for the ${running?.taskAttempts}th time: do workers die of it?`);
  return trouble.map((what) => ({ part: 'workflow', what }));
}

function activityTrouble(
  { name, attempt, failure }: NonNullable<TemporalFindings['running']>['activities'][number],
  row: DatabaseFindings | undefined,
): Hindrance[] {
  if (!failure || NOT_YET.includes(failure.type ?? '')) return [];
  const what = `${name}, attempt ${attempt}: ${failure.message}`;
  // Webhooks have their own attempts in the database; while that answers, those tell more.
  if (name === 'deliverWebhook') return row ? [] : [{ part: 'webhook receiver', what }];
  return [{ part: failure.type === 'ChainUnavailable' ? 'chain' : 'workflow', what }];
}

function webhookTrouble({ seq, state, attempts, last }: WebhookFindings): Hindrance[] {
  if (state === 'exhausted')
    return [
      { part: 'webhook receiver', what: `webhook ${seq} was given up: ${last ?? 'no attempt is on record'}` },
    ];
  if (last === null) return [];
  const what = `webhook ${seq}, attempt ${attempts} of ${MAX_ATTEMPTS}: ${last}`;
  return [{ part: 'webhook receiver', what }];
}
