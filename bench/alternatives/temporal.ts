import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { createLogger } from '../../src/process/log.ts';
import { forwardSdkLogs, MAX_CACHED_WORKFLOWS } from '../../src/service/worker/worker.ts';
import { ANSWER_WITHIN_MS } from './changes.ts';

export interface TemporalParts {
  /** host:port */
  address: string;
  taskQueue: string;
  workflows: URL;
  activities?: object;
}

export interface RunningTemporal {
  /** Makes a call to Temporal with a deadline. */
  withDeadline: <T>(call: () => Promise<T>) => Promise<T>;
  /** Starts the order's workflow with the order's id and further arguments. */
  start: (workflow: string, orderId: number, ...args: unknown[]) => Promise<WorkflowHandle>;
  handle: (orderId: number) => WorkflowHandle;
  close: () => Promise<void>;
}

/** Starts a worker and a client in this process, with the settings of Corridor's worker (`src/service/worker/worker.ts`). */
export async function startTemporalParts({
  address,
  taskQueue,
  workflows,
  activities = {},
}: TemporalParts): Promise<RunningTemporal> {
  forwardSdkLogs(createLogger('warn'));
  const workerConnection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: workerConnection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(workflows),
      logger: new DefaultLogger('WARN'),
    }),
    activities,
    maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: 500,
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '20s',
  });
  const ended = worker.run().finally(() => workerConnection.close());
  ended.catch((error) => {
    console.error('the worker failed:', error);
    process.exit(1);
  });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const withDeadline = <T>(call: () => Promise<T>) =>
    client.withDeadline(Date.now() + ANSWER_WITHIN_MS, call);

  const workflowId = (orderId: number) => `${taskQueue}-${orderId}`;

  return {
    withDeadline,
    start: (workflow, orderId, ...args) =>
      withDeadline(() =>
        client.workflow.start(workflow, {
          workflowId: workflowId(orderId),
          taskQueue,
          args: [orderId, ...args],
          workflowTaskTimeout: '2s',
        }),
      ),
    handle: (orderId) => client.workflow.getHandle(workflowId(orderId)),
    close: async () => {
      worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}
