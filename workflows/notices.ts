import { proxyLocalActivities } from '@temporalio/workflow';
import type { NoticeActivities } from '../src/domain/order-steps.ts';
import { enterReport } from './apply-command.ts';
import type { OrderRun } from './order-run.ts';

/** Temporal retries it for as long as the database is unavailable. */
const { acceptNotices } = proxyLocalActivities<NoticeActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
});

/** One activity accepts at most this many. */
const MAX_NOTICES = 100;

/**
 * Takes the notices that have arrived. A worker verifies their signatures, and reads the row for a refresh. So the workflow
 * learns the order's state from the database alone: a signal that invents one would make the order look as if the database
 * had lost commits.
 */
export async function takeNotices(run: OrderRun): Promise<void> {
  const taken = run.notices.splice(0, MAX_NOTICES);
  const [first] = taken;
  if (!first) return;
  const { orderId, state } = run;
  run.traces = first.traces;
  const summary = [...new Set(taken.map(({ command }) => command.trigger))].join(', ');
  const notices = taken.map(({ traces: _, ...notice }) => notice);
  const { accepted, row } = await acceptNotices.executeWithOptions({ summary }, [
    { orderId, state, notices, ...first.traces },
  ]);
  if (row) enterReport(run, row);
  for (const { command, traces } of taken.filter((_, place) => accepted[place])) {
    if (command.trigger === 'redeliver') run.webhooks.add(command.seq, traces);
    if (command.trigger === 'offer') run.isAutoClaimDue = true;
  }
}
