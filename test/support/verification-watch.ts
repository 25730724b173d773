import { orderWorkflowId } from '../../workflows/messages.ts';
import type { TestCorridor } from './corridor.ts';
import { connectToTemporal } from './temporal-client.ts';

/** What an operator sees in Temporal about running verifications. */
export interface VerificationWatch {
  /** Why the last check of an order's chain gave no verdict. Undefined before the first check. */
  lastFailure: (orderId: number) => Promise<string | undefined>;
  close: () => Promise<void>;
}

export async function watchVerifications(corridor: Pick<TestCorridor, 'config'>): Promise<VerificationWatch> {
  const client = await connectToTemporal(corridor);
  return {
    lastFailure: async (orderId) => {
      const { raw } = await client.workflow.getHandle(orderWorkflowId(orderId)).describe();
      return (
        raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'verifyTransaction')
          ?.lastFailure?.message ?? undefined
      );
    },
    close: () => client.connection.close(),
  };
}
