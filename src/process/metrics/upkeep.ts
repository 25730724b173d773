import { Counter, Gauge, type Registry } from '@prometheus-io/client';

export interface UpkeepMetrics {
  /** Reports the jobs before their first run. */
  begin: (jobs: readonly string[]) => void;
  succeeded: (job: string) => void;
  failed: (job: string) => void;
}

/**
 * The jobs of upkeep, in worker processes. The label is not `job`, because Prometheus sets that label on every target.
 */
export function createUpkeepMetrics(registry: Registry): UpkeepMetrics {
  const common = { labelNames: ['upkeep_job' as const], registers: [registry] };
  const runs = new Counter({
    name: 'corridor_upkeep_runs_total',
    help: 'Runs of each upkeep job in this process',
    ...common,
  });
  const failures = new Counter({
    name: 'corridor_upkeep_failures_total',
    help: 'Runs of each upkeep job in this process that failed, for some orders or for all',
    ...common,
  });
  const lastSuccess = new Gauge({
    name: 'corridor_upkeep_last_success_timestamp_seconds',
    help: 'When each upkeep job last succeeded in this process; 0 before the first time',
    ...common,
  });
  return {
    begin: (jobs) => {
      for (const upkeep_job of jobs) {
        runs.inc({ upkeep_job }, 0);
        failures.inc({ upkeep_job }, 0);
        lastSuccess.set({ upkeep_job }, 0);
      }
    },
    succeeded: (upkeep_job) => {
      runs.inc({ upkeep_job });
      lastSuccess.set({ upkeep_job }, Date.now() / 1_000);
    },
    failed: (upkeep_job) => {
      runs.inc({ upkeep_job });
      failures.inc({ upkeep_job });
    },
  };
}
