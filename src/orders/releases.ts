import { type Client, isGrpcServiceError } from '@temporalio/client';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { queueOf } from './workflow-look.ts';

/** What the workers of all releases have in common, to Temporal. */
export const DEPLOYMENT = 'corridor';
const GRPC_NOT_FOUND = 5;

/** A release that workers have named themselves by; `null` stands for those that name none. */
export interface Release {
  release: string | null;
  /** Orders begin with it, and those that run go on with it. */
  current: boolean;
  /** Workers of it that ask for work. */
  workers: number;
  /** Orders that last went on with it. */
  orders: number;
  /** When it last became the current one, ISO 8601; null: never, or not known. */
  currentSince: string | null;
}

/**
 * Which workers orders go on with. Without releases: with any. Once one has been made the current one, with its workers
 * and no others, new orders and running ones: a running order goes on with it from its next step.
 */
export interface Releases {
  /** Those that are known, the current one first. `null` is among them while workers poll that name none. */
  list: () => Promise<Release[]>;
  /** The current one; null: workers that name none. */
  current: () => Promise<string | null>;
  /** Makes one the current one. Rejects where Temporal has never seen a worker of it. */
  promote: (release: string | null) => Promise<void>;
  /** Makes one the current one where none has ever been. Gives whether it did. */
  promoteFirst: (release: string) => Promise<boolean>;
}

/** `within`: puts a deadline on a call. */
export function createReleases(
  client: Client,
  taskQueue: string,
  within: <T>(call: () => Promise<T>) => Promise<T>,
): Releases {
  const { namespace } = client.options;
  const service = client.workflowService;

  const describe = () =>
    within(() =>
      service.describeWorkerDeployment({ namespace, deploymentName: DEPLOYMENT }).catch(ignoreNotFound),
    );
  const setCurrent = (buildId: string, conflictToken?: Uint8Array) =>
    within(() =>
      service.setWorkerDeploymentCurrentVersion({
        ...{ namespace, deploymentName: DEPLOYMENT, buildId, identity: 'corridor' },
        ...(conflictToken && { conflictToken }),
      }),
    );
  const orders = async (query: string) =>
    (await within(() => client.workflow.count(`ExecutionStatus = 'Running' AND ${query}`))).count;

  return {
    // Asked of the queue, which answers on a server that knows no releases, too.
    current: async () => (await within(() => queueOf(client, taskQueue))).currentRelease,

    list: async () => {
      const { pollers } = await within(() => queueOf(client, taskQueue));
      const info = (await describe())?.workerDeploymentInfo;
      const workersOf = (release: string | null) =>
        pollers.filter((poller) => poller.fresh && poller.release === release).length;
      const current = info?.routingConfig?.currentDeploymentVersion?.buildId || null;
      const releases: Release[] = [];
      for (const { deploymentVersion, currentSinceTime } of info?.versionSummaries ?? []) {
        const release = deploymentVersion?.buildId;
        if (!release) continue;
        releases.push({
          ...{ release, current: release === current, workers: workersOf(release) },
          orders: await orders(`TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:${release}'`),
          currentSince: optionalTsToDate(currentSinceTime)?.toISOString() ?? null,
        });
      }
      if (current === null || workersOf(null) > 0)
        releases.push({
          ...{ release: null, current: current === null, workers: workersOf(null) },
          orders: await orders('TemporalWorkerDeploymentVersion IS NULL'),
          currentSince: null,
        });
      return releases.sort((a, b) => Number(b.current) - Number(a.current));
    },

    promote: async (release) => {
      await setCurrent(release ?? '');
    },

    promoteFirst: async (release) => {
      const answer = await describe();
      const routing = answer?.workerDeploymentInfo?.routingConfig;
      if (routing?.currentDeploymentVersion || routing?.currentVersionChangedTime) return false;
      await setCurrent(release, answer?.conflictToken ?? undefined);
      return true;
    },
  };
}

function ignoreNotFound(error: unknown): undefined {
  if (!(isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND)) throw error;
}
