import type pg from 'pg';

const TRIGGERS = ['order_event_keep', 'order_event_append_only'];
const eachTrigger = (change: string): string =>
  TRIGGERS.map((trigger) => `alter table order_event ${change} trigger ${trigger}`).join('; ');

/** SQL: events can be changed and deleted, as an owner of the database could do. */
export const LET_EVENTS_CHANGE = eachTrigger('disable');
/** SQL: events are append-only again. */
export const KEEP_EVENTS = eachTrigger('enable always');

/** Changes events, such as their times. */
export async function editEvents(pool: pg.Pool, sql: string, values: unknown[] = []): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${LET_EVENTS_CHANGE}`);
    await client.query(sql, values);
    await client.query(`${KEEP_EVENTS}; commit`);
  } finally {
    client.release(true);
  }
}
