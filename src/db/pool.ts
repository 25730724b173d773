import pg from 'pg';

/** Integrity constraint violations. PostgreSQL refuses the statement, and the connection stays usable. */
const REFUSAL = /^23/;

/**
 * Runs one statement. The pool's own `query` closes the connection after every error, even after a claim that a CHECK
 * refuses. This function keeps the connection after such a refusal. It closes the connection after any other error,
 * because the connection may be the cause: no response, an outdated plan, a standby that took over.
 */
export async function queryPool<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: pg.QueryConfig,
): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<Row>(query);
    client.release();
    return rows;
  } catch (error) {
    client.release(!(error instanceof pg.DatabaseError && REFUSAL.test(error.code ?? '')));
    throw error;
  }
}

/**
 * Opens all connections of the pool. Otherwise a burst of requests would have to open them first. On a busy machine
 * that takes longer than the time limit of a request.
 */
export async function openConnections(pool: pg.Pool): Promise<void> {
  const opened = await Promise.allSettled(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const one of opened) if (one.status === 'fulfilled') one.value.release();
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
