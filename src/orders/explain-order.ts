import type { Order } from '../db/entities/order.ts';
import type { OrderCase } from '../db/queries/order-case.ts';
import type { ListedDelivery } from '../db/queries/order-deliveries.ts';
import { orderState } from '../db/steps/perform-step.ts';
import {
  type DatabaseFindings,
  type Findings,
  type Hindrance,
  hindrances,
  type WebhookFindings,
} from '../domain/hindrances.ts';
import { type NextMove, nextMove } from '../domain/next-move.ts';
import { type OrderWorkflow, type WorkflowLook, workersGivenWork } from './workflow-look.ts';

/** Why one of the two that know of an order could not be asked, in a line. */
export interface Unanswered {
  why: string;
}

/** Why an order stands where it stands. Times are ISO 8601. No recipient and no key is in it. */
export interface Explanation {
  order_id: number;
  /** Who has to act; null at the order's end, and where the database could not be asked. */
  next: (NextMove & { overdue: boolean }) | null;
  /** What is in its way, the most likely cause first; none: it waits for nobody but who has to act. */
  hindrances: Hindrance[];
  /** Null: the database could not be asked. */
  row: Record<string, string | number | boolean | null> | null;
  /** Null: Temporal could not be asked, or knows no workflow of the order. */
  workflow: OrderWorkflow | null;
  queue: WorkflowLook['queue'] | null;
  service: { api: boolean; worker: boolean; away_since: string | null } | null;
  webhooks: { seq: number; tells_of: string; state: string; attempts: number; last: string | null }[];
  events: { at: string; from: string | null; to: string; by: string; cause: string; why: string | null }[];
}

/** Undefined where the database says that there is no such order. */
export function explainOrder(
  id: number,
  known: OrderCase | Unanswered,
  look: WorkflowLook | Unanswered,
): Explanation | undefined {
  if (!('order' in known))
    return { ...fromTemporal(id, look), hindrances: hindrances(findings(known, look)) };
  const { order, service, deliveries, events } = known;
  if (!order) return undefined;
  const parties = { agentKeyId: order.agent_key_id, chain: order.crypto_chain };
  const next = nextMove(orderState(order), parties);
  const overdue = next?.dueAt != null && Date.parse(next.dueAt) < service.now.getTime();
  return {
    ...fromTemporal(id, look),
    next: next && { ...next, overdue },
    hindrances: hindrances(findings(databaseFindings(order, known), look)),
    row: rowOf(order),
    service: {
      api: service.api,
      worker: service.worker,
      away_since: service.awaySince?.toISOString() ?? null,
    },
    webhooks: deliveries.map((listed) => ({
      seq: listed.delivery.seq,
      tells_of: listed.status,
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

/** What is known of an order where Temporal alone could be asked. */
function fromTemporal(id: number, look: WorkflowLook | Unanswered): Explanation {
  const [workflow, queue] = 'queue' in look ? [look.workflow, look.queue] : [null, null];
  const nothing = { next: null, hindrances: [], row: null, service: null, webhooks: [], events: [] };
  return { order_id: id, ...nothing, workflow, queue };
}

const findings = (database: Findings['database'], look: WorkflowLook | Unanswered): Findings => ({
  database,
  temporal:
    'queue' in look
      ? {
          running: look.workflow?.execution === 'RUNNING' ? running(look.workflow) : undefined,
          workers: workersGivenWork(look.queue),
          currentRelease: look.queue.currentRelease,
        }
      : look,
});

const databaseFindings = (order: Order, { deliveries, service }: OrderCase): DatabaseFindings => ({
  order: { status: order.status, version: order.version, webhooks: owed(deliveries) },
  api: service.api,
  worker: service.worker,
  awaySince: service.awaySince?.toISOString() ?? null,
  unansweredAt: service.unansweredAt?.toISOString() ?? null,
  webhooks: deliveries.flatMap(undelivered),
});

const running = ({ status, version, task, taskFailure, activities }: OrderWorkflow) => ({
  ...{ status, version, taskFailure, taskAttempts: task?.attempt ?? 0 },
  activities: activities.map(({ name, attempt, lastFailure }) => ({ name, attempt, failure: lastFailure })),
});

const owed = (deliveries: ListedDelivery[]): number[] =>
  deliveries.flatMap(({ delivery }) => (delivery.state === 'pending' ? [delivery.seq] : []));

function undelivered(listed: ListedDelivery): WebhookFindings[] {
  const { seq, state, attempts, attempts_before } = listed.delivery;
  if (state === 'delivered') return [];
  return [{ seq, state, attempts: attempts - attempts_before, last: lastAttempt(listed) }];
}

function lastAttempt({ attempts }: ListedDelivery): string | null {
  const last = attempts.at(-1);
  if (!last) return null;
  return last.error ?? `the receiver answered ${last.status_code}`;
}

/** What an operator may see of the row. */
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
