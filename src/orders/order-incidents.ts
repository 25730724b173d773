import type { Incident } from '../db/entities/incident.ts';
import { isStopped, stopsClockOf, waitsForEndOf } from '../db/incidents.ts';
import type { Database } from '../db/orm.ts';

type Found = Incident & Record<string, unknown>;

const STOPPING = `
  select incident.* from incident join orders o on o.id = $1
  where incident.closed_at is null and ${stopsClockOf('incident', 'o')} and ${isStopped('o')}
  order by incident.opened_at, incident.id`;

/** The open incidents that stop the order's clock, the longest first. Empty: none does. */
export const stoppingIncidents = (db: Database, orderId: number): Promise<Incident[]> =>
  db.query<Found>('order-stopped-by', STOPPING, [orderId]);

const STOPPED = `select o.id from orders o where o.id = any ($1::bigint[]) and ${isStopped('o')}`;

/** Those of the orders whose clock an open incident has stopped. */
export async function stoppedOrders(db: Database, ids: number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>('orders-stopped', STOPPED, [ids]);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Read from the table of incidents, and not written as events: opening an incident moves no order. So it takes no time, and an
 * order that comes to wait for it later shows it too. A step that set the deadline began a stretch of the clock; an incident
 * concerns the order if it overlaps with a stretch whose status it stops, before the deadline.
 */
const CONCERNING = `
  select incident.* from incident join orders o on o.id = $1
  where exists (
      select from (
        select status, created_at as begins_at, (snapshot ->> 'timeout_at')::timestamptz as ends_at,
          o.crypto_chain, o.currency, o.corridor_method,
          coalesce(lead(created_at) over (order by seq), 'infinity') as left_at
        from order_event where order_id = o.id
      ) stretch
      where ${waitsForEndOf('incident', 'stretch')}
        and stretch.begins_at < coalesce(incident.closed_at, 'infinity') and stretch.left_at > incident.opened_at
        and stretch.ends_at > greatest(stretch.begins_at, incident.opened_at)
    )
  order by incident.opened_at, incident.id`;

/** The incidents that stop or have stopped the order's clock, oldest first. */
export const orderIncidents = (db: Database, orderId: number): Promise<Incident[]> =>
  db.query<Found>('order-incidents', CONCERNING, [orderId]);
