import type pg from 'pg';

const COUNT = `
  select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`;

/**
 * The number of statements that wait for a lock in the connection's database, of those that contain `text`. Unlike
 * `pg_locks`, which lists the waits of all the databases that tests use at the same time.
 */
export async function countWaiting(connection: pg.Pool | pg.ClientBase, text = ''): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(COUNT, [text]);
  return rows[0]?.n ?? 0;
}
