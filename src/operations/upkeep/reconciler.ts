import { setTimeout as delay } from 'node:timers/promises';
import { createJobRunner, type RunnerDeps } from './job-runner.ts';
import { createUpkeepLock } from './upkeep-lock.ts';

export interface Reconciler {
  close: () => Promise<void>;
}

/** A process that stops waits so long for its jobs. They may stop anywhere: another process does the rest. */
const STOP_WITHIN_MS = 5_000;

/**
 * Runs the upkeep jobs in rounds. It runs in the worker processes and not inside Temporal, because Temporal's store may
 * be lost. A round waits for its jobs no longer than the interval. The next round omits the jobs that still run, so a job
 * that hangs does not delay the others. An advisory lock lets one process at a time run jobs.
 */
export function createReconciler(deps: RunnerDeps): Reconciler {
  const { db, log, settings } = deps;
  const { interval } = settings.upkeep;
  const runner = createJobRunner(deps);
  const lock = createUpkeepLock(db);
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  schedule(0);

  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await round;
      await haveJobsEnded(STOP_WITHIN_MS);
      await lock.release();
    },
  };

  function schedule(afterMs: number) {
    if (closed) return;
    timer = setTimeout(() => {
      round = runRound()
        .catch((error) => log.warn({ err: error }, 'a round of upkeep failed; trying again'))
        .then(() => schedule(interval));
    }, afterMs);
  }

  async function runRound(): Promise<void> {
    if (!(await lock.take())) return;
    runner.startJobs();
    if (await haveJobsEnded(interval)) await lock.release();
  }

  function haveJobsEnded(withinMs: number): Promise<boolean> {
    return Promise.race([runner.ended().then(() => true), delay(withinMs, false, { ref: false })]);
  }
}
