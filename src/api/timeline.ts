import type { z } from 'zod';
import type { TransitionView, timelineResponse } from '../contract/agent-orders.ts';
import type { Order } from '../db/entities/order.ts';
import type { OrderEvent } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import { listEvents } from '../db/queries/agent-orders.ts';
import { nextOf, readActor } from '../domain/order-history.ts';

/** Everything that has become of an order, and whom it waits for. */
export async function timelineOf(db: Database, order: Order): Promise<z.output<typeof timelineResponse>> {
  const events = await listEvents(db, order);
  return {
    order_id: order.id,
    status: order.status,
    transitions: events.map(transitionView),
    next: nextOf(order),
  };
}

const transitionView = (event: OrderEvent): TransitionView => ({
  seq: event.seq,
  from_status: event.from_status ?? null,
  status: event.status,
  ...readActor(event.actor),
  cause: event.cause,
  reason: event.reason ?? null,
  at: event.created_at.toISOString(),
});
