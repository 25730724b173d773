import { createUpkeepRound, type RoundDeps } from './run-round.ts';
import { withUpkeepLock } from './upkeep-lock.ts';

export interface Reconciler {
  close: () => Promise<void>;
}

/**
 * Runs the jobs of upkeep in rounds. It runs in the worker processes and not inside Temporal, whose store may be what was
 * lost. An advisory lock lets one process at a time run a round.
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
      running = withUpkeepLock(db, runRound)
        .catch((error) => log.warn({ err: error }, 'a round of upkeep failed; trying again'))
        .then(() => schedule());
    }, afterMs);
  }
}
