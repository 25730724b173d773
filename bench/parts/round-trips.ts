import type pg from 'pg';

/** Counts the statements that `work` sends on any connection of the pool. Throws if it sees none, since `work` sends some. */
export async function countStatements(pool: pg.Pool, work: () => Promise<unknown>): Promise<number> {
  const client = await pool.connect();
  // A process may load several copies of the library; this is the one that the pool belongs to.
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
  if (count === 0) throw new Error('The work sent no statement through this pool');
  return count;
}
