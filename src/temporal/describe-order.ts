import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { orderWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { ObservedWorkflow } from '../domain/workflow-drift.ts';

/** Temporal's view of an order, and of the workers that could run its workflow. Times are ISO 8601. */
export interface OrderDescription {
  /** Null: Temporal has no workflow of the order. */
  workflow: OrderWorkflow | null;
  queue: OrderQueue;
}

/** The task queue that workers poll for the orders' work. */
export interface OrderQueue {
  /** Workers that have polled within the last minutes. Some of them may have stopped. */
  pollers: Poller[];
  /** The release whose workers get the work. Null: workers that name no release. */
  currentRelease: string | null;
}

export interface OrderWorkflow extends ObservedWorkflow {
  /** `RUNNING`, `COMPLETED`, `TERMINATED` … */
  execution: string;
  runId: string;
  startedAt: string;
  /** The release of the worker that last ran it. Null if the worker named none. */
  release: string | null;
  /** The party that has to act next, as the workflow's search attribute names it. */
  waitingFor: string | undefined;
  dueAt: string | null;
  /** Activities that are not finished. Local activities, such as the steps, do not appear here. */
  activities: PendingActivity[];
  /** The workflow task that waits for a worker or runs in one. `attempt` includes the current attempt. */
  task: { attempt: number; since: string | null } | null;
  /** Why its last finished workflow task failed. Null if it succeeded. */
  taskFailure: string | null;
}

export interface PendingActivity {
  name: string;
  attempt: number;
  underWay: boolean;
  nextAttemptAt: string | null;
  lastFailure: { type: string | null; message: string } | null;
}

export interface Poller {
  identity: string;
  lastSeenAt: string | null;
  /** It has polled recently, so it counts as alive. */
  fresh: boolean;
  release: string | null;
}

/** A worker polls at least once a minute. A worker that has not polled for longer has stopped. */
const POLLER_FRESH_MS = 70_000;
/** How many events at the end of a history to search: signals that no worker has taken may come after the last task. */
const LAST_EVENTS = 100;

/** Rejects when Temporal does not answer. */
export async function describeOrder(
  client: Client,
  taskQueue: string,
  orderId: number,
): Promise<OrderDescription> {
  // In sequence: if one of two parallel calls failed, the other would still run when the client is closed.
  const queue = await queueOf(client, taskQueue);
  return { workflow: await orderWorkflow(client, orderId), queue };
}

/** Describes which workers poll for workflow tasks, and which release gets them. */
export async function queueOf(client: Client, taskQueue: string): Promise<OrderQueue> {
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  const freshSince = Date.now() - POLLER_FRESH_MS;
  return {
    pollers: (pollers ?? []).map(({ identity, lastAccessTime, deploymentOptions }) => {
      const lastSeen = optionalTsToDate(lastAccessTime);
      return {
        identity: identity ?? '',
        lastSeenAt: lastSeen?.toISOString() ?? null,
        fresh: lastSeen !== undefined && lastSeen.getTime() > freshSince,
        release: (isVersioned(deploymentOptions) && deploymentOptions?.buildId) || null,
      };
    }),
    currentRelease: versioningInfo?.currentDeploymentVersion?.buildId || null,
  };
}

/** Counts the live workers that get work. */
export const countActiveWorkers = ({ pollers, currentRelease }: OrderQueue): number =>
  pollers.filter(({ fresh, release }) => fresh && release === currentRelease).length;

/** Returns why the last finished task of the order's workflow failed, or null. Rejects if the order has no workflow. */
export async function lastTaskFailure(client: Client, orderId: number): Promise<string | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId: orderWorkflowId(orderId) },
    maximumPageSize: LAST_EVENTS,
  });
  // Newest first. A task that timed out proves nothing: its worker may have died.
  const last = history?.events?.find(
    (event) => event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes,
  );
  const failed = last?.workflowTaskFailedEventAttributes;
  return failed ? failed.failure?.message || 'no message' : null;
}

async function orderWorkflow(client: Client, orderId: number): Promise<OrderWorkflow | null> {
  try {
    const described = await client.workflow.getHandle(orderWorkflowId(orderId)).describe();
    const { pendingActivities, pendingWorkflowTask, workflowExecutionInfo } = described.raw;
    const shown = described.typedSearchAttributes;
    return {
      execution: described.status.name,
      runId: described.runId,
      startedAt: described.startTime.toISOString(),
      release: workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId || null,
      status: shown.get(SEARCH_ATTRIBUTES.orderStatus) as OrderStatus | undefined,
      version: shown.get(SEARCH_ATTRIBUTES.version),
      waitingFor: shown.get(SEARCH_ATTRIBUTES.waitingFor),
      dueAt: shown.get(SEARCH_ATTRIBUTES.dueAt)?.toISOString() ?? null,
      activities: (pendingActivities ?? []).map(pendingActivity),
      task: pendingWorkflowTask
        ? {
            attempt: pendingWorkflowTask.attempt ?? 1,
            since: optionalTsToDate(pendingWorkflowTask.originalScheduledTime)?.toISOString() ?? null,
          }
        : null,
      taskFailure: await lastTaskFailure(client, orderId),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

function pendingActivity(activity: proto.temporal.api.workflow.v1.IPendingActivityInfo): PendingActivity {
  const { activityType, attempt, state, nextAttemptScheduleTime, lastFailure } = activity;
  const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
  return {
    name: activityType?.name ?? '',
    attempt: attempt ?? 1,
    underWay: state === PENDING_ACTIVITY_STATE_STARTED,
    nextAttemptAt: optionalTsToDate(nextAttemptScheduleTime)?.toISOString() ?? null,
    lastFailure: lastFailure
      ? {
          type: lastFailure.applicationFailureInfo?.type || null,
          message: lastFailure.message || 'no message',
        }
      : null,
  };
}

const isVersioned = (
  options: proto.temporal.api.deployment.v1.IWorkerDeploymentOptions | null | undefined,
): boolean =>
  options?.workerVersioningMode ===
  proto.temporal.api.enums.v1.WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED;
