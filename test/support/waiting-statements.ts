import type pg from 'pg';

type Connection = pg.Pool | pg.ClientBase;

const COUNT = `
  select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`;

/**
 * Counts the statements that contain `text` and wait for a lock in the connection's database. `pg_locks` would also list the
 * waits of other tests, whose databases are on the same server.
 */
export async function countWaiting(connection: Connection, text = ''): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(COUNT, [text]);
  return rows[0]?.n ?? 0;
}

/** The connections of this database whose statement waits for a lock of the table. */
export async function waitingFor(connection: Connection, table: string): Promise<{ pid: number }[]> {
  // Tables of databases that are copies of one template have the same oid.
  const sql = `select pid from pg_locks join pg_database d on d.oid = pg_locks.database
    where not granted and relation = '${table}'::regclass and d.datname = current_database()`;
  return (await connection.query<{ pid: number }>(sql)).rows;
}

/** Ends the connections of this database whose statement waits for a lock. */
export const endWaiting = (connection: Connection): Promise<unknown> =>
  connection.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);

/** Ends the connections of this database that have this application name. */
export const endConnectionsOf = (connection: Connection, name: string): Promise<unknown> =>
  connection.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [name],
  );

/** The number of deadlocks in this database so far. */
export async function countDeadlocks(connection: Connection): Promise<number> {
  const sql = 'select deadlocks::int from pg_stat_database where datname = current_database()';
  return (await connection.query<{ deadlocks: number }>(sql)).rows[0]?.deadlocks ?? 0;
}
