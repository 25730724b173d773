import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflows } from '../../src/service/worker/bundle.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';

/** Returns what the tab *Call Stack* of a waiting order shows in the Temporal UI. */
async function callStack(options: Parameters<typeof startCorridor>[0]): Promise<string> {
  const corridor = await startCorridor({ ...options, env: { ORDER_START: 'awake' } });
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  try {
    await corridor.newLp();
    const id = await (await corridor.newAgent()).newOrder();
    const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
    return await workflow.getHandle(orderWorkflowId(id)).query<string>('__stack_trace');
  } finally {
    await connection.close();
    await corridor.stop();
  }
}

test('a workflow keeps no stacks, unless the operator asks for them', async () => {
  expect(await callStack({})).not.toMatch(/nextRequest/);
  const bundle = { code: await bundleWorkflows('full') };
  expect(await callStack({ bundle })).toMatch(/nextRequest/);
});
