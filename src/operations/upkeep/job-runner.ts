import type { UpkeepMetrics } from '../../process/metrics/upkeep.ts';
import type { RunningPage } from '../../temporal/running-orders.ts';
import { type Round, type UpkeepDeps, type UpkeepJob, upkeepJobs } from './jobs/jobs.ts';
import { createObservation } from './observe-orders.ts';
import { recordProgress } from './reconciler-progress.ts';

export interface RunnerDeps extends UpkeepDeps {
  metrics: UpkeepMetrics;
  /** Milliseconds after which a job that has not ended is reported; one minute by default. */
  overdueAfterMs?: number;
}

const NAMESPACE_WITHIN_MS = 10_000;

export interface JobRunner {
  /**
   * Starts each upkeep job whose last run has ended; of the jobs that can wait, only the next one. A job that fails or hangs
   * does not delay the others.
   */
  startJobs: () => void;
  /** Resolves when no job is under way. Never rejects. */
  ended: () => Promise<void>;
}

export function createJobRunner(deps: RunnerDeps): JobRunner {
  const { db, gateway, log, metrics, settings, overdueAfterMs = 60_000 } = deps;
  const jobs = upkeepJobs(deps);
  const waiting = jobs.filter(({ canWait }) => canWait);
  let turn = 0;
  const { runningAmong } = gateway;
  const observe = createObservation(
    { db, gateway: { runningPage, runningAmong } },
    `${settings.upkeep.settleTime} ms`,
  );
  const underWay = new Map<string, Promise<void>>();
  const healed = new Set<UpkeepJob>();
  metrics.begin(jobs.map(({ name }) => name));

  return {
    startJobs: () => {
      const round = newRound();
      const next = waiting[turn++ % waiting.length];
      const due = jobs.filter((job) => job === next || !job.canWait);
      for (const job of due.filter(({ name }) => !underWay.has(name)))
        underWay.set(
          job.name,
          runOnce(job, round).finally(() => underWay.delete(job.name)),
        );
    },
    ended: async () => void (await Promise.all(underWay.values())),
  };

  async function runOnce(job: UpkeepJob, round: Round): Promise<void> {
    const { name, run } = job;
    const overdue = setInterval(
      () =>
        log.warn(
          { upkeepJob: name },
          'an upkeep job is overdue: it runs again only after this run has ended',
        ),
      overdueAfterMs,
    ).unref();
    try {
      await run(round);
      if (job.healsDrift) await noteHealed(job);
      metrics.succeeded(name);
    } catch (error) {
      metrics.failed(name);
      log.warn({ err: error, upkeepJob: name }, 'an upkeep job failed; the next round runs it again');
    } finally {
      clearInterval(overdue);
    }
  }

  /** Records progress whenever each job that heals drift has succeeded since the last record. */
  async function noteHealed(job: UpkeepJob): Promise<void> {
    healed.add(job);
    if (jobs.some((one) => one.healsDrift && !healed.has(one))) return;
    healed.clear();
    await recordProgress(db, 0);
  }

  function newRound(): Round {
    let observed: ReturnType<Round['observe']> | undefined;
    return {
      observe: () => {
        observed ??= observe();
        return observed;
      },
    };
  }

  /** If Temporal lost its store, its namespace is missing too, and so is the position: the list begins again. */
  async function runningPage(size: number, after?: Uint8Array): Promise<RunningPage> {
    try {
      return await gateway.runningPage(size, after);
    } catch (error) {
      log.warn({ err: error }, 'Temporal does not list its workflows; preparing its namespace');
      await gateway.prepareNamespace(NAMESPACE_WITHIN_MS);
      return gateway.runningPage(size);
    }
  }
}
