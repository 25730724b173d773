import type { z } from 'zod';
import type { Order } from '../../../db/entities/order.ts';
import type { OrderEvent } from '../../../db/entities/order-log.ts';
import type { Database } from '../../../db/orm.ts';
import { nextOf, readActor } from '../../../domain/order-history.ts';
import { listEvents } from '../../../orders/list-orders.ts';
import { orderIncidents, stoppingIncidents } from '../../../orders/order-incidents.ts';
import { shownView } from '../incidents/view.ts';
import type { TransitionView, timelineResponse } from './schemas.ts';

/** Every transition of an order, the incidents that concern it, and what it waits for. */
export async function timelineOf(db: Database, order: Order): Promise<z.output<typeof timelineResponse>> {
  const [events, incidents, [stopping]] = await Promise.all([
    listEvents(db, order),
    orderIncidents(db, order.id),
    stoppingIncidents(db, order.id),
  ]);
  const next = nextOf(order);
  return {
    order_id: order.id,
    status: order.status,
    transitions: events.map(transitionView),
    incidents: incidents.map((incident) => ({
      ...shownView(incident),
      closed_at: incident.closed_at ? new Date(incident.closed_at).toISOString() : null,
    })),
    next: next && {
      ...next,
      stopped: stopping
        ? { since: new Date(stopping.opened_at).toISOString(), reason: stopping.reason }
        : null,
    },
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
