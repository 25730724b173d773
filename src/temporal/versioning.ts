import { type Client, isGrpcServiceError } from '@temporalio/client';
import { queueOf } from './describe-order.ts';

/** The name that the workers of all releases share in Temporal. */
export const DEPLOYMENT = 'corridor';
const GRPC_NOT_FOUND = 5;

/**
 * The release whose workers carry out the orders. While none is current, all workers without a release do. An operator
 * makes another release current with `temporal worker deployment` (docs/releases.md).
 */
export interface Releases {
  /** The current release; null: workers without a release. */
  current: () => Promise<string | null>;
  /** Makes a release current if none ever was. Returns whether it did. */
  promoteFirst: (release: string) => Promise<boolean>;
}

/** `client` is the present one: new credentials replace it. `within` puts a deadline on a call. */
export function createReleases(
  client: () => Client,
  taskQueue: string,
  within: <T>(call: () => Promise<T>) => Promise<T>,
): Releases {
  return {
    // Asks the task queue: this also works on servers without worker deployments.
    current: async () => (await within(() => queueOf(client(), taskQueue))).currentRelease,

    promoteFirst: async (release) => {
      const { options, workflowService: service } = client();
      const deployment = { namespace: options.namespace, deploymentName: DEPLOYMENT };
      const answer = await within(() => service.describeWorkerDeployment(deployment).catch(ignoreNotFound));
      const routing = answer?.workerDeploymentInfo?.routingConfig;
      if (routing?.currentDeploymentVersion || routing?.currentVersionChangedTime) return false;
      // The token makes Temporal refuse the change if somebody else has made one since.
      const conflictToken = answer?.conflictToken;
      await within(() =>
        service.setWorkerDeploymentCurrentVersion({
          ...deployment,
          buildId: release,
          identity: 'corridor',
          ...(conflictToken && { conflictToken }),
        }),
      );
      return true;
    },
  };
}

function ignoreNotFound(error: unknown): undefined {
  if (!(isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND)) throw error;
}
