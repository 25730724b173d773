import type { Order } from '../../db/entities/order.ts';
import { orderState } from '../../orders/order-state-row.ts';
import type { OrderDescription, OrderWorkflow } from '../../temporal/describe-order.ts';
import { blockers, lastAttempt, type Unanswered } from './blockers.ts';
import { nextMove } from './next-move.ts';
import type { OrderCase } from './order-case.ts';

/**
 * Explains what an order waits for. Times are ISO 8601. Contains no recipient and no key. Facts of a database or a
 * Temporal that could not be queried are null, or empty.
 */
export type Explanation = ReturnType<typeof explainOrder>;

export function explainOrder(
  id: number,
  known: OrderCase | Unanswered,
  described: OrderDescription | Unanswered,
) {
  const row = 'order' in known ? known : undefined;
  const temporal = 'queue' in described ? described : undefined;
  // Temporal may have no workflow of the order.
  const workflow: OrderWorkflow | null = temporal?.workflow ?? null;
  return {
    order_id: id,
    /** The party that has to act; null at the order's end as well. */
    next: row ? nextOf(row) : null,
    /** The most likely cause first. Empty: the order waits only for the party that has to act. */
    blockers: blockers(known, described),
    row: row ? rowOf(row.order) : null,
    workflow,
    queue: temporal?.queue ?? null,
    service: row
      ? { api: row.service.api, worker: row.service.worker, away_since: row.service.awaySince }
      : null,
    webhooks: (row?.deliveries ?? []).map((listed) => ({
      /** What `webhooks redeliver` takes. */
      id: listed.delivery.id,
      seq: listed.delivery.seq,
      status: listed.status,
      state: listed.delivery.state,
      attempts: listed.delivery.attempts,
      last: lastAttempt(listed),
    })),
    events: (row?.events ?? []).map((event) => ({
      at: event.created_at.toISOString(),
      from: event.from_status ?? null,
      to: event.status,
      by: event.actor,
      cause: event.cause,
      why: event.reason ?? null,
    })),
  };
}

function nextOf({ order, service, stoppedBy }: OrderCase) {
  const { agent_key_id: agentKeyId, crypto_chain: chain, receipt_url } = order;
  const next = nextMove(orderState(order), { agentKeyId, chain, hasReceipt: Boolean(receipt_url) });
  if (!next) return null;
  const [first] = stoppedBy;
  /** Since when an incident has stopped the clock: the deadline has not passed, and moves when the incident is closed. */
  const stoppedSince = first ? new Date(first.opened_at).toISOString() : null;
  const overdue = stoppedSince === null && next.dueAt !== null && next.dueAt < service.now;
  return { ...next, stoppedSince, overdue };
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
