import type { MetricsExporterConfig } from '@temporalio/worker';
import { freePort } from '../free-port.ts';

/** The SDK answers from memory, so it never needs longer. */
const TIMEOUT_MS = 2_000;
/** The SDK's default buckets start above the usual latency of an order. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The Temporal SDK's own metrics. The SDK serves them on a port of its own, which only Corridor reads. */
export interface TemporalSdkMetrics {
  /** For the SDK. */
  exporter: MetricsExporterConfig;
  /** The text format of Prometheus. Rejects if the SDK does not answer. */
  text: () => Promise<string>;
}

export async function temporalSdkMetrics(): Promise<TemporalSdkMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    exporter: {
      attachServiceName: false,
      prometheus: {
        bindAddress,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: {
          request_latency: BUCKETS,
          workflow_task_schedule_to_start_latency: BUCKETS,
        },
      },
    },
    text: async () => {
      const response = await fetch(`http://${bindAddress}/metrics`, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`The Temporal SDK's metrics endpoint answered ${response.status}`);
      return response.text();
    },
  };
}
