import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { DomainError } from '../domain/errors.ts';
import type { CommandRequest, SignalCommand } from '../domain/order-commands.ts';
import { decide, type RefusalCode } from '../domain/order-decision.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { OrderMoved } from '../domain/order-steps.ts';
import { paused } from '../domain/paused.ts';
import type { RequestReason } from '../domain/status-reasons.ts';
import { crashPoint } from '../process/crash-point.ts';
import { inTrace } from '../process/tracing/tracing.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { noteUnanswered } from './note-unanswered.ts';
import { orderState } from './order-state-row.ts';
import type { OutcomeWaiter } from './outcome-waiter.ts';
import type { Outcome } from './outcomes.ts';
import { writeRequestNote } from './request-note.ts';
import { wakesUnclaimed } from './start-order.ts';

/** Limits that no installation sets. Tests have longer ones, so that a busy machine refuses none of their steps. */
export interface OutcomeTimeouts {
  /** A handler responds within this time, even if Temporal or its workers are unavailable. */
  outcomeMs: number;
}

export const OUTCOME_TIMEOUTS: OutcomeTimeouts = { outcomeMs: 4_000 };

/**
 * One command for the version of the order that its row has. A second attempt with the same id meets the outcome of the first;
 * default: a new id.
 */
export interface CommandAttempt
  extends Pick<CommandRequest<SignalCommand>, 'actor' | 'command'>,
    Partial<Pick<CommandRequest, 'requestId'>> {
  order: Order;
  /** Appears on the order's timeline. */
  reason?: RequestReason | undefined;
  /** How long to wait for the outcome, in ms. Default: the limit of a handler. */
  timeoutMs?: number;
}

/** `already`: the same command made the change before. `order_moved`: the order is at another version, and nothing changed. */
export interface Attempted {
  result: 'applied' | 'already' | OrderMoved;
  status: OrderStatus;
}

/**
 * Sends one command and waits for its outcome. Throws a DomainError if the command is refused; then nothing has changed. The
 * exception is `unavailable`: the change may still happen.
 */
export type AttemptCommand = (attempt: CommandAttempt) => Promise<Attempted>;

export interface AttemptDeps {
  db: Database;
  gateway: Pick<OrderGateway, 'signal'>;
  waiter: OutcomeWaiter;
  log: Logger;
  timeouts: OutcomeTimeouts;
}

export function createCommandAttempts({ db, gateway, waiter, log, timeouts }: AttemptDeps): AttemptCommand {
  return async (attempt) => {
    const { order, command } = attempt;
    // The row is enough to refuse an impossible command: in a race of a hundred LPs most claims cost one read and no signal.
    const decision = decide(orderState(order), command);
    if (decision.kind === 'refuse')
      throw new DomainError(decision.code, refusalText(decision.code, order.status));
    if (decision.kind === 'already') return { result: 'already', status: order.status };
    const { result, status } = await signalAndWait(attempt);
    if (result === 'applied' || result === 'already' || result === 'order_moved') return { result, status };
    throw result === 'paused' ? paused() : new DomainError(result);
  };

  /** Signals a command for this version of the order, and waits for its outcome. */
  async function signalAndWait({
    order,
    actor,
    command,
    reason,
    timeoutMs = timeouts.outcomeMs,
    requestId = randomUUID(),
  }: CommandAttempt): Promise<Outcome> {
    if (reason !== undefined) await writeRequestNote(db, requestId, order.id, reason);
    const { trigger } = command;
    const started = Date.now();
    const answer = waiter.wait(requestId, timeoutMs);
    try {
      const request = { requestId, actor, command, forVersion: order.version };
      const isTaken = await gateway.signal(order.id, request, wakesUnclaimed(order));
      // The order has a row but no workflow: the reconciler starts one within seconds.
      if (!isTaken) throw unavailable();
      crashPoint('command.signalled');
    } catch (error) {
      if (error instanceof DomainError) throw error;
      log.warn({ err: error, orderId: order.id, trigger }, 'Temporal did not take the signal');
      throw unavailable(error);
    }
    const outcome = await inTrace(
      () => ({ name: 'wait for the outcome' }),
      () => answer,
    );
    if (!outcome) {
      log.warn(
        { orderId: order.id, trigger, waitedMs: Date.now() - started },
        'no worker has carried out the signal yet',
      );
      // Not awaited: the client has waited long enough.
      noteUnanswered(db, order.id).catch((error) =>
        log.warn({ err: error, orderId: order.id }, 'could not record that the order is unanswered'),
      );
      throw unavailable();
    }
    crashPoint('command.recorded');
    return outcome;
  }
}

/** Names the order's status if the status is the reason. A lost race keeps the contract's wording. */
function refusalText(code: RefusalCode, status: OrderStatus): string | undefined {
  if (code === 'order_not_confirmed') return `Order is not confirmed: it is ${status}`;
  return code === 'wrong_state' ? `The order is ${status}, which does not allow this` : undefined;
}

export const unavailable = (cause?: unknown) =>
  new DomainError(
    'unavailable',
    'The order cannot be moved at the moment. You can safely repeat the same call.',
    {
      retryAfter: 2,
      cause,
    },
  );
