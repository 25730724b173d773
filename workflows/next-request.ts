import { condition } from '@temporalio/workflow';
import type { Command } from '../src/domain/order-commands.ts';
import { isFinal, isSameMove, type OrderState, STATUS_FACTS } from '../src/domain/order-state.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { deadlineBackoff, type OrderRun, ownRequest, type QueuedRequest, showState } from './order-run.ts';

/** Returns the command that the workflow sends itself when the deadline of this version of the order passes. */
export type OnDeadline = (version: number, traces: TraceContext) => Promise<Command>;

/** The database checks that the deadline has passed. The table says what happens then. */
export const missDeadline: OnDeadline = async (version) => ({ trigger: 'deadline', version });

/**
 * Waits for a command from outside, the workflow's own command or the deadline. Returns undefined if other work comes
 * first, such as a webhook or a move of the order.
 */
export async function nextRequest(
  run: OrderRun,
  from: OrderState,
  onDeadline: OnDeadline,
): Promise<QueuedRequest | undefined> {
  const { requests, webhooks, deadlineTimer, origin } = run;
  const { timeoutAt, status } = run.state;
  const hasDeadline = STATUS_FACTS[status].stage !== null;
  const hasWork = () =>
    !hasNoneWaiting(run) ||
    webhooks.isDue() ||
    !isSameMove(run.state, from) ||
    (run.isAutoClaimDue && status === 'matched') ||
    isDone(run);
  while (!hasWork()) {
    run.traces = { origin };
    if (hasDeadline && timeoutAt) deadlineTimer.setFor(timeoutAt, deadlineBackoff(run));
    showState(run);
    await condition(() => hasWork() || deadlineTimer.hasRung());
    const isDue = deadlineTimer.reset(timeoutAt);
    if (!isDue || hasWork()) continue;
    const command = await onDeadline(from.version, run.traces);
    // What has arrived meanwhile comes first, such as the verdict of a check, or a refresh that makes this deadline void.
    if (!hasWork()) return ownRequest(command, run.traces);
  }
  return requests.shift();
}

/** Whether the order has ended and its workflow has nothing left to do. */
export const isDone = (run: OrderRun): boolean =>
  isFinal(run.state.status) && hasNoneWaiting(run) && run.webhooks.isIdle();

/** Whether neither a command nor a notice waits. */
export const hasNoneWaiting = ({ requests, notices }: OrderRun): boolean =>
  requests.length === 0 && notices.length === 0;
