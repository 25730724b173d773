import type { UpkeepMetrics } from '../metrics/upkeep.ts';
import { type Round, type UpkeepDeps, type UpkeepJob, upkeepJobs } from './jobs/jobs.ts';
import { observeOrders } from './observe-orders.ts';
import { recordProgress } from './reconciler-progress.ts';

export interface RoundDeps extends UpkeepDeps {
  metrics: UpkeepMetrics;
}

const NAMESPACE_WITHIN_MS = 10_000;

/**
 * Returns a function that runs each upkeep job once, all at the same time. A failing or slow job does not delay the
 * others of its round, but the next round starts only when all jobs have ended. Never rejects because of a job.
 */
export function createUpkeepRound(deps: RoundDeps): () => Promise<void> {
  const { db, gateway, log, metrics, settings } = deps;
  const jobs = upkeepJobs(deps);
  metrics.begin(jobs.map(({ name }) => name));

  return async () => {
    const round = newRound();
    const failed = await Promise.all(jobs.map(async (job) => ((await succeeds(job, round)) ? [] : [job])));
    if (!failed.flat().some(({ healsDrift }) => healsDrift)) await recordProgress(db, 0);
  };

  async function succeeds({ name, run }: UpkeepJob, round: Round): Promise<boolean> {
    try {
      await run(round);
      metrics.succeeded(name);
      return true;
    } catch (error) {
      metrics.failed(name);
      log.warn({ err: error, upkeepJob: name }, 'an upkeep job failed; the next round runs it again');
      return false;
    }
  }

  function newRound(): Round {
    let observed: ReturnType<Round['observe']> | undefined;
    return {
      observe: () => {
        observed ??= listRunning().then((running) =>
          observeOrders(db, running, `${settings.upkeep.settleTime} ms`),
        );
        return observed;
      },
    };
  }

  /** If Temporal lost its store, its namespace is missing too. */
  async function listRunning() {
    try {
      return await gateway.runningOrders();
    } catch (error) {
      log.warn({ err: error }, 'Temporal does not list its workflows; ensuring that its namespace exists');
      await gateway.ensureNamespace(NAMESPACE_WITHIN_MS);
      return gateway.runningOrders();
    }
  }
}
