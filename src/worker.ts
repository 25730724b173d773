import {
  type MetricsExporterConfig,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ActivityDeps } from '../activities/deps.ts';
import { createActivities } from '../activities/index.ts';
import { TASK_QUEUE } from './orders/gateway.ts';
import { DEPLOYMENT } from './orders/releases.ts';
import { activitySpans } from './tracing/activity-spans.ts';
import { activeTracing } from './tracing/tracing.ts';

export interface WorkerOptions {
  address: string;
  namespace: string;
  activities: ActivityDeps;
  log: Logger;
  bundle: WorkflowBundleOption;
  /** Orders that are kept in memory between their tasks; the others are replayed from their history. */
  maxCachedWorkflows: number;
  /** What it names itself by, so that orders go on with workers of one release at a time; undefined: nothing. */
  release: string | undefined;
}

export interface RunningWorker {
  /** Ends what is being worked on and takes nothing new. */
  stop: () => Promise<void>;
  /** Rejects when the worker fails for good. */
  ended: Promise<void>;
}

/** Sends the SDK's messages to Corridor's log, and its metrics where they are wanted. Once per process, before the first worker. */
export function forwardSdkLogs(log: Logger, metrics?: MetricsExporterConfig): void {
  const forward =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
      log[level](loggable(meta), message);
  Runtime.install({
    // Corridor stops its parts itself, in order.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
      ...(metrics && { metrics }),
    },
    logger: {
      log: (level, message, meta) =>
        forward(level === 'INFO' ? 'debug' : (level.toLowerCase() as 'warn'))(message, meta),
      trace: forward('trace'),
      debug: forward('debug'),
      info: forward('debug'),
      warn: forward('warn'),
      error: forward('error'),
    },
  });
}

/** Starts a worker that carries out orders, and resolves when it polls. */
export async function startWorker({
  address,
  namespace,
  activities,
  log,
  bundle,
  maxCachedWorkflows,
  release,
}: WorkerOptions): Promise<RunningWorker> {
  const connection = await NativeConnection.connect({ address });
  const tracing = activeTracing();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: bundle,
    activities: createActivities(activities),
    ...(tracing && { interceptors: { activity: [activitySpans(tracing)] } }),
    // The SDK's own bound grows with the machine's memory: most orders wait for people, and are replayed in milliseconds.
    maxCachedWorkflows,
    ...(release && {
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: DEPLOYMENT, buildId: release },
        // Not pinned to the release that they began with: a dispute may last for weeks, and a mended fault is to be
        // mended for orders that run. Their histories replay on every later release (`test/replay`).
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      } as const,
    }),
    // Webhooks wait on other people's servers: slots are cheap, and no agent gets more than a fifth of these for its own.
    maxConcurrentActivityTaskExecutions: 500,
    // After a worker died, its orders are taken over after this, not after the default of 10 s.
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '20s',
  });
  const ended = worker.run().finally(() => connection.close());
  ended.catch((error) => log.error({ err: error }, 'the worker failed'));
  return {
    ended,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}

/** The SDK's log attributes that say which order and what; the rest is noise or could carry arguments. */
function loggable(meta: object = {}): object {
  const { workflowId, activityType, attempt, error } = meta as Record<string, unknown>;
  return { workflowId, activityType, attempt, ...(error === undefined ? {} : { err: error }) };
}
