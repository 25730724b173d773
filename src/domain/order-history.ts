import { ACTOR_KINDS, type ActorKind } from './order-commands.ts';
import { type OrderStatus, type WaitingFor, waitingFor } from './order-state.ts';

/** Parses an event's actor: `agent:3`, `lp:7`, `admin:3`, `admin:root` or `service`. Only an LP's id may be shown to other parties. */
export function readActor(actor: string): { actor: ActorKind; lp_id: number | null } {
  const [name, id] = actor.split(':');
  const kind = ACTOR_KINDS.find((known) => known === name);
  if (!kind)
    throw new RangeError(
      `Unknown actor "${actor}": expected agent:<id>, lp:<id>, admin:<id>, admin:root or service`,
    );
  return { actor: kind, lp_id: kind === 'lp' ? Number(id) : null };
}

/** The party that an order waits for, and until when. Null when the order has ended. */
export function nextOf(order: {
  status: OrderStatus;
  timeout_at?: Date | null | undefined;
  frozen_ms?: number | null | undefined;
}) {
  const party = waitingFor({ status: order.status, frozenMs: order.frozen_ms ?? null });
  if (party === 'nobody') return null;
  const waiting_for: Exclude<WaitingFor, 'nobody'> = party;
  return { waiting_for, due_at: order.timeout_at?.toISOString() ?? null };
}
