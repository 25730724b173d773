import type { MetricsExporterConfig } from '@temporalio/worker';
import { freePort } from '../embedded/free-port.ts';

/** What the SDK tells of itself; nothing that it can do takes it longer. */
const PATIENCE_MS = 2_000;
/** The SDK's own begin where an order has long been answered. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The Temporal SDK's own metrics. It serves them on a port of its own; this one only Corridor asks. */
export interface TemporalSdkMetrics {
  /** For the SDK. */
  exporter: MetricsExporterConfig;
  /** The text format of Prometheus; rejects where the SDK does not answer. */
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
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (!response.ok) throw new Error(`The Temporal SDK's metrics are a ${response.status}`);
      return response.text();
    },
  };
}
