import { createUpkeepRound, type RoundDeps } from './run-round.ts';

export interface Reconciler {
  close: () => Promise<void>;
}

const LOCK = 7_266_002;

/**
 * Runs the upkeep jobs in rounds. It runs in the worker processes and not inside Temporal, because Temporal's store may
 * be lost. An advisory lock lets one process at a time run a round.
 */
export function createReconciler(deps: RoundDeps): Reconciler {
  const { db, log, settings } = deps;
  const runRound = createUpkeepRound(deps);
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  schedule(0);

  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };

  function schedule(afterMs = settings.upkeep.interval) {
    if (closed) return;
    timer = setTimeout(() => {
      running = runRoundWithLock()
        .catch((error) => log.warn({ err: error }, 'a round of upkeep failed; trying again'))
        .then(() => schedule());
    }, afterMs);
  }

  /** Does nothing if another process has the lock. */
  async function runRoundWithLock(): Promise<void> {
    const connection = await db.pool.connect();
    let broken = true;
    try {
      const lock = await connection.query('select pg_try_advisory_lock($1) as mine', [LOCK]);
      if (lock.rows[0].mine) {
        await runRound();
        await connection.query('select pg_advisory_unlock($1)', [LOCK]);
      }
      broken = false;
    } finally {
      connection.release(broken);
    }
  }
}
