import type pg from 'pg';
import { editEvents } from './edit-events.ts';

const TIMES = {
  order_event: ['created_at'],
  orders: ['timeout_at', 'expires_at', 'deadline_set_at', 'created_at'],
  incident: ['opened_at', 'closing_at', 'closed_at'],
  service_heartbeat: ['recorded_at', 'good_until', 'outage_began_at', 'outage_ended_at'],
};

/**
 * Lets time pass for orders, incidents and outages: all their times in the database move into the past by the interval.
 * `inService`: the service has run meanwhile, so the time is no outage.
 */
export function timePasses(pool: pg.Pool, interval: string, inService = false): Promise<void> {
  const { service_heartbeat, ...others } = TIMES;
  const updates = Object.entries(inService ? others : { ...others, service_heartbeat }).map(
    ([table, columns]) => {
      const set = columns.map((column) => `${column} = ${column} - interval '${interval}'`);
      return `update ${table} set ${set.join(', ')}`;
    },
  );
  return editEvents(pool, updates.join('; '));
}
