import type { z } from 'zod';
import type { Order } from '../../../db/entities/order.ts';
import type { OrderEvent } from '../../../db/entities/order-log.ts';
import type { Database } from '../../../db/orm.ts';
import { nextOf, readActor } from '../../../domain/order-history.ts';
import { listEvents } from '../../../orders/list-orders.ts';
import type { TransitionView, timelineResponse } from './schemas.ts';

/** Every transition of an order, and what the order waits for. */
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
