import { type OrderStatus, type WaitingFor, waitingFor } from './order-state.ts';

/** Kinds of those who move orders. `service` is Corridor itself, when a deadline passes or a chain has spoken. */
export const ACTOR_KINDS = ['agent', 'lp', 'admin', 'service'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Reads an event's actor: `agent:3`, `lp:7`, `admin` or `service`. Of ids only an LP's is for others to know. */
export function readActor(actor: string): { actor: ActorKind; lp_id: number | null } {
  const [name, id] = actor.split(':');
  const kind = ACTOR_KINDS.find((known) => known === name);
  if (!kind) throw new RangeError(`There is no kind of actor "${name}"`);
  return { actor: kind, lp_id: kind === 'lp' ? Number(id) : null };
}

/** Whom an order waits for, and until when; null at its end. */
export function nextOf(order: {
  status: OrderStatus;
  timeout_at?: Date | null | undefined;
  frozen_ms?: number | null | undefined;
}) {
  const whom = waitingFor({ status: order.status, frozenMs: order.frozen_ms ?? null });
  if (whom === 'nobody') return null;
  const waiting_for: Exclude<WaitingFor, 'nobody'> = whom;
  return { waiting_for, due_at: order.timeout_at?.toISOString() ?? null };
}
