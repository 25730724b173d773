import type { OrderStatus } from '../domain/order-state.ts';
import type { Explanation } from '../operations/diagnosis/explain-order.ts';
import type { OrderWorkflow } from '../temporal/describe-order.ts';
import { type Cell, facts, millisecond, minute, table, text } from './output.ts';

/** The text shows at most this many events. */
const LAST_EVENTS = 10;

/** An explanation as text: the answer first, then its reasons. `ui`: the address of the workflow in Temporal's UI. */
export function explanationText(explanation: Explanation, ui: string | undefined): string {
  const { order_id, row, blockers, webhooks, events } = explanation;
  const shown = events.slice(-LAST_EVENTS);
  const earlier = events.length - shown.length;
  return [
    answerOf(explanation),
    blockers.length === 0
      ? 'Nothing blocks it.'
      : ['Blocked by:', ...blockers.map(({ part, what }) => `  ${part}: ${text(what)}`)].join('\n'),
    ...(row ? [section('The row', facts(withoutNulls({ ...row, ...timesOf(row) })))] : []),
    section('The workflow', workflowText(explanation, ui ?? `order-${order_id}`)),
    ...(webhooks.length > 0
      ? [
          section(
            'Webhooks',
            table(webhooks, {
              ...{ id: 'id', number: 'seq', status: 'status', state: 'state', attempts: 'attempts' },
              'last attempt': 'last',
            }),
          ),
        ]
      : []),
    ...(row
      ? [
          section(
            earlier > 0 ? `The last ${LAST_EVENTS} of ${events.length} events` : 'Events',
            table(shown, {
              'at (UTC)': (event) => millisecond(event.at),
              ...{ from: 'from', to: 'to', by: 'by', cause: 'cause', why: 'why' },
            }),
          ),
        ]
      : []),
  ].join('\n\n');
}

/** What happens to an order at its deadline, by the status that it enters. */
const OTHERWISE: Partial<Record<OrderStatus, string>> = {
  matched: 'it is offered again',
  cancelled: 'it is cancelled',
  disputed: 'it is disputed',
};

function answerOf({ order_id, row, next, workflow }: Explanation): string {
  if (!row) {
    const observed = workflow
      ? `Its workflow shows it as ${workflow.status}, waiting for ${workflow.waitingFor}${workflow.dueAt ? `, due ${minute(workflow.dueAt)} UTC` : ''}.`
      : 'Temporal has no workflow of it, either.';
    return `The state of order ${order_id} is unknown: the database does not answer. ${observed}`;
  }
  if (!next) return `Order ${order_id} is ${row.status}. It has ended.`;
  const frozen = row.frozen ? ', frozen' : '';
  const clock = next.stoppedSince
    ? `; an incident has stopped its clock since ${minute(next.stoppedSince)} UTC`
    : next.dueAt
      ? ` by ${minute(next.dueAt)} UTC, or ${OTHERWISE[next.otherwise ?? 'disputed']}`
      : '; no clock runs';
  return `Order ${order_id} is ${row.status}${frozen}: ${next.what}${clock}.${next.overdue ? ' That deadline has passed.' : ''}`;
}

function workflowText({ workflow, queue }: Explanation, where: string): string {
  if (!queue) return 'Temporal could not be asked.';
  const workers = queue.pollers.map(
    ({ identity, fresh, release, lastSeenAt }) =>
      `${identity}${release ? `, release ${release}` : ''}${fresh ? '' : `, last seen ${minute(lastSeenAt)} UTC`}`,
  );
  const lines = facts({
    ...(workflow ? workflowFacts(workflow) : { workflow: 'none' }),
    workers: workers.join('; ') || 'none',
    ...(queue.currentRelease ? { 'current release': queue.currentRelease } : {}),
    ...(workflow ? { 'in Temporal': where } : {}),
  });
  if (!workflow || workflow.activities.length === 0) return lines;
  const pending = table(workflow.activities, {
    ...{ activity: 'name', attempt: 'attempt', 'under way': 'underWay' },
    'next at (UTC)': (a) => a.nextAttemptAt?.slice(0, 19).replace('T', ' ') ?? null,
    'last failure': (a) => a.lastFailure?.message ?? null,
  });
  return `${lines}\n\n${pending}`;
}

const workflowFacts = (workflow: OrderWorkflow): Record<string, Cell> => ({
  workflow: workflow.execution.toLowerCase(),
  'observed state': `${workflow.status}, version ${workflow.version}, waits for ${workflow.waitingFor}`,
  ...(workflow.release ? { release: workflow.release } : {}),
  task: workflow.task
    ? `waits for a worker, or runs in one, since ${minute(workflow.task.since)} UTC, attempt ${workflow.task.attempt}`
    : null,
  'last task': workflow.taskFailure ? `failed: ${workflow.taskFailure}` : 'done',
});

const section = (title: string, lines: string) => `${title}\n${lines.replace(/^(?=.)/gm, '  ')}`;

const timesOf = ({ created_at, due_at }: NonNullable<Explanation['row']>): Record<string, Cell> => ({
  created_at: `${minute(String(created_at))} UTC`,
  due_at: due_at === null ? null : `${minute(String(due_at))} UTC`,
});

const withoutNulls = (of: Record<string, Cell>): Record<string, Cell> =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null && value !== false));
