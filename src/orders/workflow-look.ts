import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { orderWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import type { WorkflowBelief } from '../domain/drift.ts';
import type { OrderStatus } from '../domain/order-state.ts';

/** What Temporal says of an order, and of those who could carry it on. Times are ISO 8601. */
export interface WorkflowLook {
  /** Null where Temporal knows none. */
  workflow: OrderWorkflow | null;
  queue: OrderQueue;
}

/** Where workers ask for the orders' work. */
export interface OrderQueue {
  /** Those that have asked within the last minutes; some of them may have gone. */
  pollers: Poller[];
  /** The release whose workers are given the work; null: those that name none. */
  currentRelease: string | null;
}

export interface OrderWorkflow extends WorkflowBelief {
  /** `RUNNING`, `COMPLETED`, `TERMINATED` … */
  execution: string;
  runId: string;
  startedAt: string;
  /** The release that it last went on with; null where workers have none. */
  release: string | null;
  /** Who it believes has to act. */
  waitingFor: string | undefined;
  dueAt: string | null;
  /** What it has had begun and is not done; steps on the database do not appear here. */
  activities: PendingActivity[];
  /** The task that waits for a worker or is in its hands; it was tried `attempt` times, this time included. */
  task: { attempt: number; since: string | null } | null;
  /** Why the last of its tasks that came to an end failed; null where it did not. */
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
  /** It has asked so lately that it can be counted on. */
  fresh: boolean;
  release: string | null;
}

/** A worker polls at least once a minute; one that has not for longer is gone. */
const POLLER_FRESH_MS = 70_000;
/** How far back the end of a history is looked at; signals that nobody takes may be the last of it. */
const LAST_EVENTS = 100;

/** Rejects when Temporal does not answer. */
export async function lookAtWorkflow(
  client: Client,
  taskQueue: string,
  orderId: number,
): Promise<WorkflowLook> {
  // One after the other: of two at once, the one would still be tried when the other has failed and all is closed.
  const queue = await queueOf(client, taskQueue);
  return { workflow: await orderWorkflow(client, orderId), queue };
}

/** Who has asked for workflow tasks of late, and who is given them. */
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

/** How many of them are given work. */
export const workersGivenWork = ({ pollers, currentRelease }: OrderQueue): number =>
  pollers.filter(({ fresh, release }) => fresh && release === currentRelease).length;

/** Why the last task of an order's workflow that came to an end failed; null where it did not. Rejects when it has none. */
export async function lastTaskFailure(client: Client, orderId: number): Promise<string | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId: orderWorkflowId(orderId) },
    maximumPageSize: LAST_EVENTS,
  });
  // The newest come first. A task that timed out says nothing: its worker may have died.
  const last = history?.events?.find(
    (event) => event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes,
  );
  const failed = last?.workflowTaskFailedEventAttributes;
  return failed ? failed.failure?.message || 'it did not say why' : null;
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
          message: lastFailure.message || 'it did not say why',
        }
      : null,
  };
}

const isVersioned = (
  options: proto.temporal.api.deployment.v1.IWorkerDeploymentOptions | null | undefined,
): boolean =>
  options?.workerVersioningMode ===
  proto.temporal.api.enums.v1.WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED;
