import type { Database } from '../db/orm.ts';

const LOCK = 7_266_002;

/** Does the work unless another process has the lock. PostgreSQL frees the lock when this connection ends. */
export async function withUpkeepLock(db: Database, work: () => Promise<void>): Promise<void> {
  const connection = await db.pool.connect();
  let broken = true;
  try {
    const lock = await connection.query('select pg_try_advisory_lock($1) as mine', [LOCK]);
    if (lock.rows[0].mine) {
      await work();
      await connection.query('select pg_advisory_unlock($1)', [LOCK]);
    }
    broken = false;
  } finally {
    connection.release(broken);
  }
}
