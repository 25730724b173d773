import type pg from 'pg';
import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts';
import type { Database } from '../../db/orm.ts';

/** Lets one process at a time run jobs of upkeep. */
export interface UpkeepLock {
  /** Returns whether this process has the lock. A process that has it asks again: it loses the lock with its connection. */
  take: () => Promise<boolean>;
  release: () => Promise<void>;
}

export function createUpkeepLock(db: Database): UpkeepLock {
  let connection: pg.PoolClient | undefined;

  async function ask(call: string): Promise<boolean> {
    connection ??= await db.pool.connect();
    try {
      const { rows } = await connection.query(`select ${call} as yes`);
      return rows[0].yes;
    } catch (error) {
      giveBack(true);
      throw error;
    }
  }

  /** Closes a broken connection, which frees the lock. */
  function giveBack(isBroken: boolean): void {
    connection?.release(isBroken);
    connection = undefined;
  }

  return {
    take: async () => {
      const isMine = await ask(`pg_try_advisory_lock(${ADVISORY_LOCKS.upkeep})`);
      if (!isMine) giveBack(false);
      return isMine;
    },
    release: async () => {
      if (!connection) return;
      // PostgreSQL counts how often a connection took a lock.
      await ask('pg_advisory_unlock_all()');
      giveBack(false);
    },
  };
}
