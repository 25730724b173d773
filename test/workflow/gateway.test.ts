import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createOrderGateway } from '../../src/temporal/gateway.ts';
import { ORDER_WORKFLOW, orderIdOf, orderWorkflowId } from '../../workflows/messages.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });

test('Temporal is reachable if the namespace exists, and otherwise not', async () => {
  await eventuallyEquals(() => corridor.shared.gateway.isReachable(), true);
  const lost = createOrderGateway({
    address: testEnvironment().temporalAddress,
    namespace: 'there-is-no-such-namespace',
    log: corridor.shared.log,
  });
  expect(await lost.isReachable()).toBe(false);
  await lost.close();
});

test('a server that never answers is given up, and its name is asked for again', async () => {
  const [host = '', port] = testEnvironment().temporalAddress.split(':');
  const proxy = await startTcpProxy(host, Number(port));
  proxy.freeze();
  const gateway = createOrderGateway({
    address: `${proxy.host}:${proxy.port}`,
    namespace: corridor.config.temporalNamespace,
    log: corridor.shared.log,
  });
  expect(await gateway.isReachable()).toBe(false);
  proxy.abandon();
  await eventuallyEquals(() => gateway.isReachable(), true);
  await gateway.close();
  await proxy.close();
});

test('a workflow that an operator started manually does not count as an order', async () => {
  expect(orderIdOf(orderWorkflowId(42))).toBe(42);
  for (const id of ['copy-by-hand', 'order-', 'order-x', 'order-0', 'order-1e3', `order-${'9'.repeat(16)}`])
    expect(orderIdOf(id)).toBeUndefined();

  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
  await workflow.start(ORDER_WORKFLOW, {
    workflowId: 'copy-by-hand',
    taskQueue: 'nobody-polls-it',
    args: [],
  });
  await corridor.startWorker();
  const reconciled = async () => (await corridor.admin('GET', '/api/admin/reconciliation')).status;
  expect(await reconciled()).toBe(200);
  await connection.close();
});
