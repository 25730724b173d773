import pg from 'pg';

/** Integrity constraint violations: the statement is refused, the connection as good as before. */
const REFUSAL = /^23/;

/**
 * The rows of one statement. The pool's own `query` throws a connection away with every error, and so with each claim that
 * a CHECK refuses; here it is kept where the statement was refused, and thrown away with all that may be wrong with it:
 * silence, a plan that has become void, a standby that took over.
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
 * Opens all connections that the pool may have. Each that a burst of requests has to open first keeps those waiting who
 * were to use it, and on a busy machine longer than they may.
 */
export async function openConnections(pool: pg.Pool): Promise<void> {
  const opened = await Promise.allSettled(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const one of opened) if (one.status === 'fulfilled') one.value.release();
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
