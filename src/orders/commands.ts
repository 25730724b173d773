import { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import type { AdminActor, ResolveOutcome, SignalCommand } from '../domain/order-commands.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { RequestReason } from '../domain/status-reasons.ts';
import { type AttemptCommand, type OutcomeTimeouts, unavailable } from './attempt-command.ts';

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
  cancel: (order: Order, by: 'agent' | AdminActor, reason: RequestReason) => Promise<OrderStatus>;
  release: (order: Order, lpId: number, reason: RequestReason) => Promise<OrderStatus>;
  dispute: (order: Order, opener: DisputeOpener, reason: RequestReason) => Promise<OrderStatus>;
  resolve: (
    order: Order,
    resolution: Resolution,
    admin: AdminActor,
    reason: RequestReason,
  ) => Promise<OrderStatus>;
  /** `txHash`, if given, replaces the order's own. */
  retryVerification: (
    order: Order,
    txHash: string | undefined,
    admin: AdminActor,
    reason: RequestReason,
  ) => Promise<OrderStatus>;
  extend: (order: Order, until: Date, admin: AdminActor, reason: RequestReason) => Promise<OrderStatus>;
  /** Moves the deadline of the order's current stage to this moment. */
  expireNow: (order: Order, by: DeadlineExpirer, reason: RequestReason) => Promise<OrderStatus>;
  /** An LP that has lost the order shows that it had paid. The order is frozen until an admin decides. */
  contest: (order: Order, lpId: number, reason: RequestReason) => Promise<OrderStatus>;
  freeze: (order: Order, admin: AdminActor, reason: RequestReason) => Promise<OrderStatus>;
  /** `falseEvidence`: the LP that has contested the order gets a strike. */
  unfreeze: (
    order: Order,
    admin: AdminActor,
    reason: RequestReason,
    falseEvidence: boolean,
  ) => Promise<OrderStatus>;
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

/** `txHash`, if given, replaces the order's own. */
export function retryCommand(order: Pick<Order, 'user_crypto_tx_hash'>, txHash?: string) {
  const txHashGiven = txHash ?? order.user_crypto_tx_hash ?? '';
  return { trigger: 'retryVerification' as const, txHash: normaliseTxHash(txHashGiven), txHashGiven };
}

export interface OrderCommandDeps {
  db: Database;
  attempt: AttemptCommand;
  /** For this many milliseconds after its claim, an LP may release the order without a strike. */
  releaseGrace: number;
  timeouts: OutcomeTimeouts;
}

export function createOrderCommands({
  db,
  attempt,
  releaseGrace,
  timeouts,
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
    retryVerification: (order, newTxHash, admin, reason) =>
      sendOnce(order, admin, retryCommand(order, newTxHash), reason),
    extend: (order, until, admin, reason) =>
      send(order, admin, { trigger: 'extend', until: until.toISOString() }, reason),
    expireNow: (order, expirer, reason) =>
      sendOnce(order, actorOf(order, expirer), { trigger: 'expireNow', version: order.version }, reason),
    contest: (order, lpId, reason) => sendOnce(order, lp(lpId), { trigger: 'freeze' }, reason),
    freeze: (order, admin, reason) => send(order, admin, { trigger: 'freeze' }, reason),
    unfreeze: (order, admin, reason, falseEvidence) =>
      sendOnce(order, admin, { trigger: 'unfreeze', ...(falseEvidence && { falseEvidence }) }, reason),
  };

  /** Sends a command. If another was faster, reads the row again and sends the command once more. */
  async function send(
    order: Order,
    actor: string,
    command: SignalCommand,
    reason?: RequestReason,
  ): Promise<OrderStatus> {
    const until = Date.now() + timeouts.outcomeMs;
    for (let latest = order; ; ) {
      const timeoutMs = until - Date.now();
      const { result, status } = await attempt({ order: latest, actor, command, reason, timeoutMs });
      if (result !== 'order_moved') return status;
      if (Date.now() >= until) throw unavailable();
      latest = await db.em().findOneOrFail(Order, { id: order.id });
    }
  }

  /** Sends a command that depends on what its caller saw of the order: it applies to that version or not at all. */
  async function sendOnce(
    order: Order,
    actor: string,
    command: SignalCommand,
    reason: RequestReason,
  ): Promise<OrderStatus> {
    const { result, status } = await attempt({ order, actor, command, reason });
    if (result !== 'order_moved') return status;
    throw new DomainError('wrong_state', 'The order has moved since you read it: look at it again');
  }
}
