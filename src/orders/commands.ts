import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { OrderSignals } from '../../workflows/messages.ts';
import { crashPoint } from '../crash-point.ts';
import { noteUnanswered } from '../db/commands/note-unanswered.ts';
import { writeRequestNote } from '../db/commands/write-request-note.ts';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { orderState } from '../db/steps/perform-step.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { collateralSlice } from '../domain/collateral.ts';
import { DomainError } from '../domain/errors.ts';
import type { ResolveOutcome, SignalCommand, SignalTrigger } from '../domain/order-commands.ts';
import { decide, type RefusalCode } from '../domain/order-decision.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import { inTrace } from '../tracing/tracing.ts';
import type { OrderGateway } from './gateway.ts';
import type { Outcome, OutcomeWaiter } from './outcome-waiter.ts';

/** A handler has answered within this time, whatever has become of Temporal and its workers. */
const ANSWER_WITHIN_MS = 4_000;

/** A claim that has waited longer for a worker is void; covers the caller's own retries and clocks that differ. */
const CLAIM_VALID_MS = 30_000;

/** Someone who disputes an order: its agent, or the LP that owns it. */
export type Disputer = { by: 'agent' } | { by: 'lp'; lpId: number };
/** Someone who has an order's deadline pass in a sandbox: one of those, or an admin. */
export type Advancer = Disputer | { by: 'admin' };

/**
 * What the API asks of an order's workflow. Each resolves when the change is committed, or when it had been made
 * before by the same call, and gives the order's status; otherwise it throws a DomainError and nothing was changed,
 * but for `unavailable`: then the change may still come, and the same call again is safe.
 * `reason`, where there is one, stands on the order's timeline.
 */
export interface OrderCommands {
  claim: (order: Order, lp: { id: number; tier: number }) => Promise<OrderStatus>;
  fiatSent: (order: Order, lpId: number) => Promise<OrderStatus>;
  confirm: (order: Order) => Promise<OrderStatus>;
  settle: (order: Order, txHash: string) => Promise<OrderStatus>;
  cancel: (order: Order, by: 'agent' | 'admin', reason: string) => Promise<OrderStatus>;
  release: (order: Order, lpId: number, reason: string) => Promise<OrderStatus>;
  dispute: (order: Order, disputer: Disputer, reason: string) => Promise<OrderStatus>;
  resolve: (order: Order, resolution: Resolution, reason: string) => Promise<OrderStatus>;
  /** `txHash` takes the place of the order's own, where it is given. */
  retryVerification: (order: Order, txHash: string | undefined, reason: string) => Promise<OrderStatus>;
  extend: (order: Order, until: Date, reason: string) => Promise<OrderStatus>;
  /** Has the deadline of the stage that the order is in pass at once. */
  advance: (order: Order, by: Advancer, reason: string) => Promise<OrderStatus>;
  freeze: (order: Order, reason: string) => Promise<OrderStatus>;
  unfreeze: (order: Order, reason: string) => Promise<OrderStatus>;
}

/** How an admin ends a dispute; `slashUsd`: what the LP loses of its slice, decimal string. */
export interface Resolution {
  outcome: ResolveOutcome;
  slashUsd: string;
}

/** The command's fields: how it ends, and what it was settled with. */
export const resolutionOf = (order: Order, resolution: Resolution) => ({
  ...resolution,
  txHash: orderState(order).txHash,
});

export interface OrderCommandDeps {
  db: Database;
  gateway: OrderGateway;
  waiter: OutcomeWaiter;
  log: Logger;
  /** Milliseconds after its claim in which an LP may give an order back without a strike. */
  releaseGrace: number;
}

export function createOrderCommands({
  db,
  gateway,
  waiter,
  log,
  releaseGrace,
}: OrderCommandDeps): OrderCommands {
  const ofAgent = (order: Order) => `agent:${order.agent_key_id}`;
  const actorOf = (order: Order, who: Advancer) => {
    if (who.by === 'admin') return 'admin';
    return who.by === 'lp' ? `lp:${who.lpId}` : ofAgent(order);
  };
  return {
    claim: (order, lp) =>
      send(
        order,
        'claim',
        {
          lpId: lp.id,
          collateral: collateralSlice(order.amount_usd, lp.tier),
          validUntil: new Date(Date.now() + CLAIM_VALID_MS).toISOString(),
        },
        { actor: `lp:${lp.id}` },
      ),
    fiatSent: (order, lpId) => send(order, 'fiatSent', { lpId }, { actor: `lp:${lpId}` }),
    confirm: (order) => send(order, 'confirm', {}, { actor: ofAgent(order) }),
    settle: (order, txHashGiven) =>
      send(order, 'settle', { txHash: normaliseTxHash(txHashGiven), txHashGiven }, { actor: ofAgent(order) }),
    cancel: (order, by, reason) =>
      send(order, 'cancel', { by }, { actor: by === 'agent' ? ofAgent(order) : 'admin', reason }),
    release: (order, lpId, reason) =>
      send(
        order,
        'release',
        // Counted from when the LP asks: what the service takes to carry it out is not its fault.
        { lpId, freeSince: new Date(Date.now() - releaseGrace).toISOString() },
        { actor: `lp:${lpId}`, reason },
      ),
    dispute: (order, disputer, reason) =>
      send(order, 'dispute', disputer, { actor: actorOf(order, disputer), reason }),
    resolve: (order, resolution, reason) =>
      send(order, 'resolve', resolutionOf(order, resolution), { actor: 'admin', reason }),
    retryVerification: (order, txHash, reason) => {
      const txHashGiven = txHash ?? order.user_crypto_tx_hash ?? '';
      const fields = { txHash: normaliseTxHash(txHashGiven), txHashGiven };
      return send(order, 'retryVerification', fields, { actor: 'admin', reason });
    },
    extend: (order, until, reason) =>
      send(order, 'extend', { until: until.toISOString() }, { actor: 'admin', reason }),
    advance: (order, advancer, reason) =>
      send(order, 'advance', { version: order.version }, { actor: actorOf(order, advancer), reason }),
    freeze: (order, reason) => send(order, 'freeze', {}, { actor: 'admin', reason }),
    unfreeze: (order, reason) => send(order, 'unfreeze', {}, { actor: 'admin', reason }),
  };

  async function send<Name extends SignalTrigger>(
    order: Order,
    trigger: Name,
    fields: Omit<OrderSignals[Name], 'requestId' | 'actor'>,
    { reason, ...envelope }: { actor: string; reason?: string },
  ): Promise<OrderStatus> {
    // The row says no to the hopeless: of a hundred LPs that race for an order, most cost one read and no signal.
    const decision = decide(orderState(order), { trigger, ...fields } as unknown as SignalCommand<Name>);
    if (decision.kind === 'refuse')
      throw new DomainError(decision.code, explained(decision.code, order.status));
    if (decision.kind === 'already') return order.status;

    const requestId = randomUUID();
    if (reason !== undefined) await writeRequestNote(db, requestId, reason);
    const started = Date.now();
    const answer = waiter.wait(requestId, ANSWER_WITHIN_MS);
    try {
      const payload = { requestId, ...envelope, ...fields } as unknown as OrderSignals[Name];
      const taken = await gateway.signal(order.id, trigger, payload);
      // The row is live and its workflow is not there: the reconciler starts it within seconds.
      if (!taken) throw unavailable();
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
      // Whoever asks has waited long enough.
      noteUnanswered(db, order.id).catch((error) =>
        log.warn({ err: error, orderId: order.id }, 'that nobody answered could not be noted'),
      );
      throw unavailable();
    }
    crashPoint('command.recorded');
    return statusOrRefusal(outcome);
  }
}

/** Where the order's status is the reason, it is named; a lost race is told in the contract's own words. */
function explained(code: RefusalCode, status: OrderStatus): string | undefined {
  if (code === 'order_not_confirmed') return `Order is not confirmed: it is ${status}`;
  return code === 'wrong_state' ? `The order is ${status}, which does not allow this` : undefined;
}

function statusOrRefusal({ result, status }: Outcome): OrderStatus {
  if (result === 'applied' || result === 'already') return status;
  throw new DomainError(result);
}

const unavailable = (cause?: unknown) =>
  new DomainError(
    'unavailable',
    'The order cannot be moved at the moment. Repeat the same call: it is safe.',
    {
      retryAfter: 2,
      cause,
    },
  );
