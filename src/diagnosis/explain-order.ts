import type { Order } from '../db/entities/order.ts';
import { orderState } from '../orders/order-state-row.ts';
import type { OrderDescription, OrderWorkflow } from '../temporal/describe-order.ts';
import { type Blocker, blockers, lastAttempt, type Unanswered } from './blockers.ts';
import { type NextMove, nextMove } from './next-move.ts';
import type { OrderCase } from './order-case.ts';

/** Explains what an order waits for. Times are ISO 8601. Contains no recipient and no key. */
export interface Explanation {
  order_id: number;
  /** The party that has to act; null if the order has ended or the database could not be queried. */
  next: (NextMove & { overdue: boolean }) | null;
  /** The most likely cause first. Empty: the order waits only for the party that has to act. */
  blockers: Blocker[];
  /** Null: the database could not be queried. */
  row: Record<string, string | number | boolean | null> | null;
  /** Null: Temporal could not be queried, or has no workflow of the order. */
  workflow: OrderWorkflow | null;
  queue: OrderDescription['queue'] | null;
  service: { api: boolean; worker: boolean; away_since: string | null } | null;
  webhooks: { seq: number; status: string; state: string; attempts: number; last: string | null }[];
  events: { at: string; from: string | null; to: string; by: string; cause: string; why: string | null }[];
}

/** Undefined: the database has no such order. */
export function explainOrder(
  id: number,
  known: OrderCase | Unanswered,
  described: OrderDescription | Unanswered,
): Explanation | undefined {
  const [workflow, queue] = 'queue' in described ? [described.workflow, described.queue] : [null, null];
  if (!('order' in known)) {
    const unknown = { next: null, row: null, service: null, webhooks: [], events: [] };
    return { order_id: id, ...unknown, blockers: blockers(known, described), workflow, queue };
  }
  const { order, service, deliveries, events } = known;
  if (!order) return undefined;
  const next = nextMove(orderState(order), {
    agentKeyId: order.agent_key_id,
    chain: order.crypto_chain,
    hasReceipt: Boolean(order.receipt_url),
  });
  const { api, worker, awaySince } = service;
  return {
    order_id: id,
    next: next && { ...next, overdue: next.dueAt !== null && next.dueAt < service.now },
    blockers: blockers({ ...known, order }, described),
    row: rowOf(order),
    ...{ workflow, queue },
    service: { api, worker, away_since: awaySince },
    webhooks: deliveries.map((listed) => ({
      seq: listed.delivery.seq,
      status: listed.status,
      state: listed.delivery.state,
      attempts: listed.delivery.attempts,
      last: lastAttempt(listed),
    })),
    events: events.map((event) => ({
      at: event.created_at.toISOString(),
      from: event.from_status ?? null,
      to: event.status,
      by: event.actor,
      cause: event.cause,
      why: event.reason ?? null,
    })),
  };
}

/** The columns that an operator may see. */
const rowOf = (order: Order) => ({
  id: order.id,
  status: order.status,
  version: order.version,
  reason: order.status_reason ?? null,
  frozen: order.frozen_ms != null,
  fiat: `${order.amount_fiat} ${order.currency}`,
  usd: order.amount_usd,
  crypto: `${order.amount_crypto} ${order.crypto_symbol} on ${order.crypto_chain}`,
  agent_key: order.agent_key_id,
  lp: order.lp_id ?? null,
  transaction: order.user_crypto_tx_hash ?? null,
  created_at: order.created_at.toISOString(),
  due_at: order.timeout_at?.toISOString() ?? null,
});
