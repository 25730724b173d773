import type { z } from 'zod';
import type { Order } from '../../../db/entities/order.ts';
import type { OrderEvent } from '../../../db/entities/order-log.ts';
import type { Database } from '../../../db/orm.ts';
import { nextOf, readActor } from '../../../domain/order-history.ts';
import { type ReasonReader, reasonShownTo } from '../../../domain/status-reasons.ts';
import { listEvents } from '../../../orders/list-orders.ts';
import { orderIncidents, stoppingIncidents } from '../../../orders/order-incidents.ts';
import { shownView } from '../incidents/view.ts';
import type { TransitionView, timelineResponse } from './schemas.ts';

/** What this reader may know of an order: every transition, the incidents that concern it, and what it waits for. */
export async function timelineOf(
  db: Database,
  order: Order,
  reader: ReasonReader,
): Promise<z.output<typeof timelineResponse>> {
  const [events, incidents, [stopping]] = await Promise.all([
    listEvents(db, order),
    orderIncidents(db, order.id),
    stoppingIncidents(db, order.id),
  ]);
  const next = nextOf(order);
  return {
    order_id: order.id,
    status: order.status,
    transitions: events.map((event) => transitionView(event, reader)),
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

function transitionView(event: OrderEvent, reader: ReasonReader): TransitionView {
  const { text, code } = reasonShownTo(reader, { text: event.reason, code: event.reason_code });
  return {
    seq: event.seq,
    from_status: event.from_status ?? null,
    status: event.status,
    ...readActor(event.actor),
    cause: event.cause,
    reason: text,
    reason_code: code,
    at: event.created_at.toISOString(),
  };
}
