import { Client, Connection } from '@temporalio/client';
import { orderWorkflowId } from '../../workflows/messages.ts';
import type { TestCorridor } from './corridor.ts';
import { testEnvironment } from './environment.ts';

/** What an operator reads in Temporal of the verifications under way. */
export interface Looks {
  /** Why the last look at an order's chain was no verdict; undefined before there was one. */
  last: (orderId: number) => Promise<string | undefined>;
  close: () => Promise<void>;
}

export async function watchLooks({ config }: Pick<TestCorridor, 'config'>): Promise<Looks> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  const client = new Client({ connection, namespace: config.temporalNamespace });
  return {
    last: async (orderId) => {
      const { raw } = await client.workflow.getHandle(orderWorkflowId(orderId)).describe();
      return (
        raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'verifyTransaction')
          ?.lastFailure?.message ?? undefined
      );
    },
    close: () => connection.close(),
  };
}
