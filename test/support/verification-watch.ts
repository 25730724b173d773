import { Client, Connection } from '@temporalio/client';
import { orderWorkflowId } from '../../workflows/messages.ts';
import type { TestCorridor } from './corridor.ts';
import { testEnvironment } from './environment.ts';

/** What an operator sees in Temporal about running verifications. */
export interface VerificationWatch {
  /** Why the last check of an order's chain gave no verdict. Undefined before the first check. */
  lastFailure: (orderId: number) => Promise<string | undefined>;
  close: () => Promise<void>;
}

export async function watchVerifications({
  config,
}: Pick<TestCorridor, 'config'>): Promise<VerificationWatch> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  const client = new Client({ connection, namespace: config.temporalNamespace });
  return {
    lastFailure: async (orderId) => {
      const { raw } = await client.workflow.getHandle(orderWorkflowId(orderId)).describe();
      return (
        raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'verifyTransaction')
          ?.lastFailure?.message ?? undefined
      );
    },
    close: () => connection.close(),
  };
}
