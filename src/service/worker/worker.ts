import {
  type MetricsExporterConfig,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  TransportError,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createActivities } from '../../../activities/index.ts';
import { StartupError } from '../../process/startup-error.ts';
import { activitySpans } from '../../process/tracing/activity-spans.ts';
import { activeTracing } from '../../process/tracing/tracing.ts';
import {
  connectionOptions,
  keepCredentialsFresh,
  type TemporalAccess,
} from '../../settings/connection-options.ts';
import { TASK_QUEUE } from '../../temporal/start-options.ts';
import { DEPLOYMENT } from '../../temporal/versioning.ts';

/**
 * Orders that a worker keeps in memory between their tasks. Others are replayed from their history. With fewer than the 40 tasks
 * that a worker has under way at the same time, orders would evict each other. The SDK's default grows with the machine's
 * memory, but most orders wait for people and are replayed in milliseconds.
 */
export const MAX_CACHED_WORKFLOWS = 100;

export interface WorkerOptions extends TemporalAccess {
  namespace: string;
  activities: ActivityDeps;
  log: Logger;
  bundle: WorkflowBundleOption;
  /** The release that the worker names, so that one release at a time carries out orders. Undefined: none. */
  release: string | undefined;
}

export interface RunningWorker {
  /** Takes no new work and finishes the work in progress. */
  stop: () => Promise<void>;
  /** Rejects if the worker fails permanently. */
  ended: Promise<void>;
}

/**
 * Sends the SDK's messages to Corridor's log, and its metrics if configured. Call once per process, before the first
 * worker.
 */
export function forwardSdkLogs(log: Logger, metrics?: MetricsExporterConfig): void {
  const forward =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
      log[level](loggable(meta), message);
  Runtime.install({
    // Corridor stops its components itself, in order.
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

/** Starts a worker that carries out orders. Resolves when it polls. */
export async function startWorker({
  namespace,
  activities,
  log,
  bundle,
  release,
  ...access
}: WorkerOptions): Promise<RunningWorker> {
  const connection = await reaching(access.address, NativeConnection.connect(connectionOptions(access)));
  const tracing = activeTracing();
  const creating = Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: bundle,
    activities: createActivities(activities),
    ...(tracing && { interceptors: { activity: [activitySpans(tracing)] } }),
    maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    ...(release && {
      workerDeploymentOptions: {
        useWorkerVersioning: true,
        version: { deploymentName: DEPLOYMENT, buildId: release },
        // Orders are not pinned to the release that they started with: a dispute may last for weeks, and a fix has to
        // reach running orders. Their histories replay on every later release (`test/replay`).
        defaultVersioningBehavior: 'AUTO_UPGRADE',
      } as const,
    }),
    // Webhooks wait for the agents' servers. Slots are cheap, and one agent gets at most a fifth of them.
    maxConcurrentActivityTaskExecutions: 500,
    // If a worker dies, others take over its orders after this time. The default is 10 s.
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '20s',
  });
  const worker = await reaching(access.address, creating).catch(async (error) => {
    await connection.close();
    throw error;
  });
  const { close } = keepCredentialsFresh(access, connection, {
    open: (options) => NativeConnection.connect(options),
    use: (next) => {
      worker.connection = next;
    },
    log,
  });
  const ended = worker.run().finally(close);
  ended.catch((error) => log.error({ err: error }, 'the worker failed'));
  return {
    ended,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}

/** Temporal may end at any step of the start. The SDK's error does not name the server. */
async function reaching<T>(address: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw new StartupError(`Temporal at ${address} cannot be used (${error.message}).`, { cause: error });
  }
}

/** The SDK's log attributes that name the order and the activity. Others are noise or could contain arguments. */
function loggable(meta: object = {}): object {
  const { workflowId, activityType, attempt, error } = meta as Record<string, unknown>;
  return { workflowId, activityType, attempt, ...(error === undefined ? {} : { err: error }) };
}
