import { uuid4 } from '@temporalio/workflow';
import type { Command, CommandRequest, Notice } from '../src/domain/order-commands.ts';
import { isSameMove, type OrderState } from '../src/domain/order-state.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { type ChainWatch, watchChain } from './chain-watch.ts';
import { createDeadlineTimer, type DeadlineTimer } from './deadline-timer.ts';
import type { OrderInput } from './messages.ts';
import { upsertState } from './search-attributes.ts';
import { createWebhookQueue, type WebhookQueue } from './webhook-queue.ts';

/** A command that waits to be carried out. */
export interface QueuedRequest extends CommandRequest {
  traces: TraceContext;
  /** The workflow sent it to itself. No API handler waits for its outcome, so a refusal is not recorded. */
  isOwn: boolean;
}

/** A notice that waits to be accepted. */
export interface QueuedNotice extends CommandRequest<Notice> {
  traces: TraceContext;
}

/** One run of an order's workflow: the order's state, and the work that is left. */
export interface OrderRun {
  readonly orderId: number;
  state: OrderState;
  /** The Temporal UI shows the state. */
  isShown: boolean;
  /** Commands from signals and from the workflow itself, oldest first. */
  readonly requests: QueuedRequest[];
  /** Oldest first. */
  readonly notices: QueuedNotice[];
  readonly webhooks: WebhookQueue;
  readonly chain: ChainWatch;
  readonly deadlineTimer: DeadlineTimer;
  /** The span that created the order. */
  readonly origin: TraceContext['origin'];
  /** The order is open, and the workflow has not tried LPs with auto-claim since it opened. */
  isAutoClaimDue: boolean;
  /** The traces of the request that the current work belongs to. */
  traces: TraceContext;
  /**
   * The database refused to let the deadline expire: the deadline has not passed by the database's clock, or the
   * order's clock stands still, in an outage of the service or in an incident. The workflow tries again after this time.
   */
  deadlineBackoff: { version: number; ms: number };
}

export function startRun({ webhooks, autoClaims, trace, origin, ...input }: OrderInput): OrderRun {
  const traces = { trace, origin };
  const requests: QueuedRequest[] = [];
  return {
    ...{ orderId: input.orderId, state: input.state, requests, notices: [], traces, isShown: true },
    webhooks: createWebhookQueue(input.orderId, webhooks, traces),
    chain: watchChain(input.orderId, (command, ofCommand) => requests.push(ownRequest(command, ofCommand))),
    deadlineTimer: createDeadlineTimer(),
    origin,
    isAutoClaimDue: autoClaims,
    deadlineBackoff: { version: 0, ms: 0 },
  };
}

/**
 * Copies the row's state into the run. Returns whether the order has moved. After a failover that lost commits, the row can
 * have the run's version with another status.
 */
export function enterState(run: OrderRun, next: OrderState): boolean {
  const hasMoved = !isSameMove(next, run.state);
  run.state = next;
  if (!hasMoved) return false;
  run.chain.stop();
  run.isShown = false;
  if (next.status === 'matched') run.isAutoClaimDue = true;
  return true;
}

/**
 * Shows the state in the Temporal UI, even while no worker runs. Call it before the workflow waits or ends. A task often
 * moves the order several times: settle and complete. One event shows them all.
 */
export function showState(run: OrderRun): void {
  if (run.isShown) return;
  upsertState(run.state);
  run.isShown = true;
}

/** A command that the workflow sends to itself. */
export const ownRequest = (command: Command, traces: TraceContext): QueuedRequest => ({
  requestId: uuid4(),
  actor: 'service',
  command,
  traces,
  isOwn: true,
});

/** Clocks that differ by a few milliseconds must not cause repeated checks. */
const MIN_RETRY_MS = 100;
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/** Returns how long the workflow must wait before it tries the deadline of this version of the order again. */
export const deadlineBackoff = ({ deadlineBackoff: { version, ms }, state }: OrderRun): number =>
  version === state.version ? ms : 0;

/** Backs off by the time that the workflow's clock is ahead of the database's clock. */
export function retryDeadlineIn(run: OrderRun, dueInMs: number): void {
  const ms = Math.max(MIN_RETRY_MS, Math.ceil(dueInMs));
  run.deadlineBackoff = { version: run.state.version, ms };
}

export function backOffDeadline(run: OrderRun): void {
  const ms = Math.min(Math.max(MIN_BACKOFF_MS, 2 * deadlineBackoff(run)), MAX_BACKOFF_MS);
  run.deadlineBackoff = { version: run.state.version, ms };
}
