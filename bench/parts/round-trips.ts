import type pg from 'pg';

/** How many statements `work` sends, on whichever connection of the pool. Throws when it was none: then none were seen. */
export async function countStatements(pool: pg.Pool, work: () => Promise<unknown>): Promise<number> {
  const client = await pool.connect();
  // Of the library that the pool is of: there may be more than one in a process.
  const clients = Object.getPrototypeOf(client) as { query: (...given: unknown[]) => unknown };
  client.release();
  const { query } = clients;
  let count = 0;
  clients.query = function counted(...given) {
    count += 1;
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    clients.query = query;
  }
  if (count === 0) throw new Error('Work on the database sent no statement');
  return count;
}
