import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { OrderSignals } from '../../workflows/messages.ts';
import type { Order } from '../db/entities/order.ts';
import { orderState } from '../db/steps/perform-step.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { collateralSlice } from '../domain/collateral.ts';
import { DomainError } from '../domain/errors.ts';
import { type Command, decide, type OrderStatus, type RefusalCode } from '../domain/order-state.ts';
import type { OrderGateway } from './gateway.ts';
import type { Outcome, OutcomeWaiter } from './outcome-waiter.ts';

/** A handler has answered within this time, whatever has become of Temporal and its workers. */
const ANSWER_WITHIN_MS = 4_000;

/** A claim that has waited longer for a worker is void; covers the caller's own retries and clocks that differ. */
const CLAIM_VALID_MS = 30_000;

/**
 * What the API asks of an order's workflow. Each resolves when the change is committed, or when it had been made
 * before by the same call, and gives the order's status; otherwise it throws a DomainError and nothing was changed,
 * but for `unavailable`: then the change may still come, and the same call again is safe.
 */
export interface OrderCommands {
  claim: (order: Order, lp: { id: number; tier: number }) => Promise<OrderStatus>;
  fiatSent: (order: Order, lpId: number) => Promise<OrderStatus>;
  confirm: (order: Order) => Promise<OrderStatus>;
  settle: (order: Order, txHash: string) => Promise<OrderStatus>;
}

export interface OrderCommandDeps {
  gateway: OrderGateway;
  waiter: OutcomeWaiter;
  log: Logger;
}

export function createOrderCommands({ gateway, waiter, log }: OrderCommandDeps): OrderCommands {
  return {
    claim: (order, lp) => {
      const claim = { lpId: lp.id, collateral: collateralSlice(order.amount_usd, lp.tier) };
      return send(order, { trigger: 'claim', ...claim }, 'claim', {
        ...envelope(`lp:${lp.id}`),
        validUntil: new Date(Date.now() + CLAIM_VALID_MS).toISOString(),
        ...claim,
      });
    },
    fiatSent: (order, lpId) =>
      send(order, { trigger: 'fiatSent', lpId }, 'fiatSent', { ...envelope(`lp:${lpId}`), lpId }),
    confirm: (order) =>
      send(order, { trigger: 'confirm' }, 'confirm', envelope(`agent:${order.agent_key_id}`)),
    settle: (order, txHashGiven) => {
      const settle = { txHash: normaliseTxHash(txHashGiven), txHashGiven };
      return send(order, { trigger: 'settle', ...settle }, 'settle', {
        ...envelope(`agent:${order.agent_key_id}`),
        ...settle,
      });
    },
  };

  async function send<Name extends keyof OrderSignals>(
    order: Order,
    command: Command,
    signal: Name,
    payload: OrderSignals[Name],
  ): Promise<OrderStatus> {
    // The row says no to the hopeless: of a hundred LPs that race for an order, most cost one read and no signal.
    const decision = decide(orderState(order), command);
    if (decision.kind === 'refuse')
      throw new DomainError(decision.code, explained(decision.code, order.status));
    if (decision.kind === 'already') return order.status;

    const started = Date.now();
    const answer = waiter.wait(payload.requestId, ANSWER_WITHIN_MS);
    try {
      const taken = await gateway.signal(order.id, signal, payload);
      // The row is live and its workflow is not there: the reconciler starts it within seconds.
      if (!taken) throw unavailable();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      log.warn({ err: error, orderId: order.id, signal }, 'Temporal did not take the signal');
      throw unavailable(error);
    }
    const outcome = await answer;
    if (!outcome) {
      log.warn(
        { orderId: order.id, signal, waitedMs: Date.now() - started },
        'no worker has carried out the signal yet',
      );
      throw unavailable();
    }
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

const envelope = (actor: string) => ({ requestId: randomUUID(), actor });

const unavailable = (cause?: unknown) =>
  new DomainError(
    'unavailable',
    'The order cannot be moved at the moment. Repeat the same call: it is safe.',
    {
      retryAfter: 2,
      cause,
    },
  );
