import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import type { AdminActor, ResolveOutcome, SignalCommand } from '../domain/order-commands.ts';
import { decide, type RefusalCode } from '../domain/order-decision.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { OrderMoved } from '../domain/order-steps.ts';
import { paused } from '../domain/paused.ts';
import { crashPoint } from '../process/crash-point.ts';
import type { OrderGateway } from '../temporal/gateway.ts';
import { inTrace } from '../tracing/tracing.ts';
import { noteUnanswered } from './note-unanswered.ts';
import { orderState } from './order-state-row.ts';
import type { OutcomeWaiter } from './outcome-waiter.ts';
import type { Outcome } from './outcomes.ts';
import { writeRequestNote } from './request-note.ts';
import { wakesUnclaimed } from './start-order.ts';

/** A handler responds within this time, even if Temporal or its workers are unavailable. */
const OUTCOME_TIMEOUT_MS = 4_000;

/** A claim that waits longer than this for a worker is void. Allows for the client's retries and for clock differences. */
const CLAIM_VALID_MS = 30_000;

/** A party that disputes an order: its agent, or the LP that owns it. */
export type DisputeOpener = { by: 'agent' } | { by: 'lp'; lpId: number };
/** A party, or an admin, that expires an order's deadline in a sandbox. */
export type DeadlineExpirer = DisputeOpener | { by: 'admin'; admin: AdminActor };

/**
 * The commands that the API sends to an order's workflow. Each resolves to the order's status when the change is
 * committed, or if the same command made the change before. Otherwise it throws a DomainError, and nothing has changed.
 * The exception is `unavailable`: the change may still happen, and the caller can safely repeat the call.
 * A `reason` appears on the order's timeline. `admin` is the admin who moves the order.
 */
export interface OrderCommands {
  claim: (order: Order, lpId: number) => Promise<OrderStatus>;
  fiatSent: (order: Order, lpId: number) => Promise<OrderStatus>;
  confirm: (order: Order) => Promise<OrderStatus>;
  settle: (order: Order, txHash: string) => Promise<OrderStatus>;
  cancel: (order: Order, by: 'agent' | AdminActor, reason: string) => Promise<OrderStatus>;
  release: (order: Order, lpId: number, reason: string) => Promise<OrderStatus>;
  dispute: (order: Order, opener: DisputeOpener, reason: string) => Promise<OrderStatus>;
  resolve: (order: Order, resolution: Resolution, admin: AdminActor, reason: string) => Promise<OrderStatus>;
  /** `txHash`, if given, replaces the order's own. */
  retryVerification: (
    order: Order,
    txHash: string | undefined,
    admin: AdminActor,
    reason: string,
  ) => Promise<OrderStatus>;
  extend: (order: Order, until: Date, admin: AdminActor, reason: string) => Promise<OrderStatus>;
  /** Moves the deadline of the order's current stage to this moment. */
  expireNow: (order: Order, by: DeadlineExpirer, reason: string) => Promise<OrderStatus>;
  /** An LP that has lost the order shows that it had paid. The order is frozen until an admin decides. */
  contest: (order: Order, lpId: number, reason: string) => Promise<OrderStatus>;
  freeze: (order: Order, admin: AdminActor, reason: string) => Promise<OrderStatus>;
  /** `falseEvidence`: the LP that has contested the order gets a strike. */
  unfreeze: (order: Order, admin: AdminActor, reason: string, falseEvidence: boolean) => Promise<OrderStatus>;
}

/** How an admin ends a dispute. */
export interface Resolution {
  outcome: ResolveOutcome;
  /** The part of its locked collateral that the LP loses, decimal string. */
  slashUsd: string;
  /** The transaction that the admin names as the payment. Null: none. */
  txHash: string | null;
}

export const resolveCommand = ({ outcome, slashUsd, txHash }: Resolution) => ({
  ...{ trigger: 'resolve' as const, outcome, slashUsd },
  txHash: txHash === null ? null : normaliseTxHash(txHash),
});

export interface OrderCommandDeps {
  db: Database;
  gateway: OrderGateway;
  waiter: OutcomeWaiter;
  log: Logger;
  /** For this many milliseconds after its claim, an LP may release the order without a strike. */
  releaseGrace: number;
}

export function createOrderCommands({
  db,
  gateway,
  waiter,
  log,
  releaseGrace,
}: OrderCommandDeps): OrderCommands {
  const agentOf = (order: Order) => `agent:${order.agent_key_id}`;
  const lp = (id: number) => `lp:${id}`;
  const actorOf = (order: Order, party: DeadlineExpirer) => {
    if (party.by === 'admin') return party.admin;
    return party.by === 'lp' ? lp(party.lpId) : agentOf(order);
  };
  const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();
  return {
    claim: (order, lpId) =>
      send(order, lp(lpId), { trigger: 'claim', lpId, validUntil: fromNow(CLAIM_VALID_MS) }),
    fiatSent: (order, lpId) => send(order, lp(lpId), { trigger: 'fiatSent', lpId }),
    confirm: (order) => send(order, agentOf(order), { trigger: 'confirm' }),
    settle: (order, txHashGiven) => {
      const txHash = normaliseTxHash(txHashGiven);
      return send(order, agentOf(order), { trigger: 'settle', txHash, txHashGiven });
    },
    cancel: (order, by, reason) =>
      by === 'agent'
        ? send(order, agentOf(order), { trigger: 'cancel', by }, reason)
        : send(order, by, { trigger: 'cancel', by: 'admin' }, reason),
    release: (order, lpId, reason) => {
      // The grace counts from the LP's request, so a slow service does not cost the LP a strike.
      const freeSince = fromNow(-releaseGrace);
      return send(order, lp(lpId), { trigger: 'release', lpId, freeSince }, reason);
    },
    dispute: (order, opener, reason) =>
      send(order, actorOf(order, opener), { trigger: 'dispute', ...opener }, reason),
    resolve: (order, resolution, admin, reason) => sendOnce(order, admin, resolveCommand(resolution), reason),
    retryVerification: (order, newTxHash, admin, reason) => {
      const txHashGiven = newTxHash ?? order.user_crypto_tx_hash ?? '';
      const txHash = normaliseTxHash(txHashGiven);
      return sendOnce(order, admin, { trigger: 'retryVerification', txHash, txHashGiven }, reason);
    },
    extend: (order, until, admin, reason) =>
      send(order, admin, { trigger: 'extend', until: until.toISOString() }, reason),
    expireNow: (order, expirer, reason) =>
      sendOnce(order, actorOf(order, expirer), { trigger: 'expireNow', version: order.version }, reason),
    contest: (order, lpId, reason) => sendOnce(order, lp(lpId), { trigger: 'freeze' }, reason),
    freeze: (order, admin, reason) => send(order, admin, { trigger: 'freeze' }, reason),
    unfreeze: (order, admin, reason, falseEvidence) =>
      send(order, admin, { trigger: 'unfreeze', ...(falseEvidence && { falseEvidence }) }, reason),
  };

  /** Sends a command. If another was faster, reads the row again and sends the command once more. */
  async function send(
    order: Order,
    actor: string,
    command: SignalCommand,
    reason?: string,
  ): Promise<OrderStatus> {
    const until = Date.now() + OUTCOME_TIMEOUT_MS;
    for (let latest = order; ; ) {
      const status = await attempt(latest, actor, command, reason, until - Date.now());
      if (status !== 'order_moved') return status;
      if (Date.now() >= until) throw unavailable();
      latest = await db.em().findOneOrFail(Order, { id: order.id });
    }
  }

  /** Sends a command that depends on what its caller saw of the order: it applies to that version or not at all. */
  async function sendOnce(
    order: Order,
    actor: string,
    command: SignalCommand,
    reason: string,
  ): Promise<OrderStatus> {
    const status = await attempt(order, actor, command, reason, OUTCOME_TIMEOUT_MS);
    if (status !== 'order_moved') return status;
    throw new DomainError('wrong_state', 'The order has moved since you read it: look at it again');
  }

  async function attempt(
    order: Order,
    actor: string,
    command: SignalCommand,
    reason: string | undefined,
    timeoutMs: number,
  ): Promise<OrderStatus | OrderMoved> {
    // The row is enough to refuse an impossible command: in a race of a hundred LPs most claims cost one read and no signal.
    const decision = decide(orderState(order), command);
    if (decision.kind === 'refuse')
      throw new DomainError(decision.code, refusalText(decision.code, order.status));
    if (decision.kind === 'already') return order.status;
    const { result, status } = await carryOut(order, actor, command, reason, timeoutMs);
    if (result === 'applied' || result === 'already') return status;
    if (result === 'order_moved') return result;
    throw result === 'paused' ? paused() : new DomainError(result);
  }

  /** Signals a command for this version of the order, and waits for its outcome. */
  async function carryOut(
    order: Order,
    actor: string,
    command: SignalCommand,
    reason: string | undefined,
    timeoutMs: number,
  ): Promise<Outcome> {
    const requestId = randomUUID();
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

const unavailable = (cause?: unknown) =>
  new DomainError(
    'unavailable',
    'The order cannot be moved at the moment. You can safely repeat the same call.',
    {
      retryAfter: 2,
      cause,
    },
  );
