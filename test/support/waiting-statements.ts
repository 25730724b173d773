import type pg from 'pg';

const COUNT = `
  select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`;

/**
 * Counts the statements that contain `text` and wait for a lock in the connection's database. `pg_locks` would also list the
 * waits of other tests, whose databases are on the same server.
 */
export async function countWaiting(connection: pg.Pool | pg.ClientBase, text = ''): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(COUNT, [text]);
  return rows[0]?.n ?? 0;
}
