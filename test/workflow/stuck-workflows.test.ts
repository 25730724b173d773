import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { expectStatus } from '../../demo/http.ts';
import { ordersToReconcile, overdueOrders } from '../../src/db/queries/reconciled-orders.ts';
import { TASK_QUEUE } from '../../src/orders/gateway.ts';
import { createLaggingWorkflows } from '../../src/orders/lagging-workflows.ts';
import { ORDER_WORKFLOW, orderWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import {
  type Agent,
  claim,
  confirmedOrder,
  newAgent,
  newLp,
  newOrder,
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { served } from '../support/served.ts';

/** Workflows that could not go on by themselves. */
let corridor: TestCorridor;
let connection: Connection;
let workflow: WorkflowClient;
let agent: Agent;
let lp: TestLp;
beforeAll(async () => {
  corridor = await startCorridor();
  connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  workflow = new Client({ connection, namespace: corridor.config.temporalNamespace }).workflow;
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 1_000 });
});
afterAll(async () => {
  await connection.close();
  await corridor.stop();
});

const isRunOf = (id: number) => workflow.getHandle(orderWorkflowId(id)).describe();
/** Sees to these orders as often as it takes until what does not go on has been replaced. */
async function seeTo(ids: number[]): Promise<void> {
  const { gateway, log } = corridor.shared;
  const see = createLaggingWorkflows({
    ...{ gateway, log, durations: corridor.config.durations, tellAgainAfterMs: -1 },
  });
  // Suspected, told, told again, replaced.
  for (let looks = 0; looks < 4; looks++)
    expect(await see(await ordersToReconcile(corridor.db, ids))).toEqual([]);
}

test('a workflow whose history cannot be gone on with is replaced, and its order goes on', async () => {
  const id = await newOrder(agent);
  // Its first task fails each time that it is tried, as a replay does that comes to another end.
  const broken = await workflow.start(ORDER_WORKFLOW, {
    workflowId: orderWorkflowId(id),
    taskQueue: TASK_QUEUE,
    args: [{}],
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.version, value: 0 }],
  });
  expect((await claim(lp, id)).status).toBe(503);
  await seeTo([id]);
  expect((await isRunOf(id)).runId).not.toBe(broken.firstExecutionRunId);
  expect((await served(() => claim(lp, id))).status).toBe(200);
});

test('an order whose deadline has passed without its workflow is seen, and comes to its end', async () => {
  const id = await newOrder(agent);
  await corridor.db.query(
    'long-overdue',
    `update orders set timeout_at = now() - interval '1 hour' where id = $1`,
    [id],
  );
  expect((await overdueOrders(corridor.db, '3 minutes')).map((order) => order.id)).toEqual([id]);
  await seeTo([id]);
  await eventuallyEquals(() => statusOf(agent, id), 'cancelled');
  expect(await overdueOrders(corridor.db, '3 minutes')).toEqual([]);
});

test('an order that is asked in vain again and again goes on in another run', async () => {
  const [other, id] = [await confirmedOrder(agent, lp), await confirmedOrder(agent, lp)];
  // Final much later, so that the first order keeps the hash to itself.
  const taken = await transaction(corridor.anyone, lp.address, 10.05, { final_after_ms: 600_000 });
  await expectStatus(200, settle(agent, other, taken));
  const { runId } = await isRunOf(id);
  await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => settle(agent, id, taken)));
    for (const { status } of answers) expect([400, 409, 503]).toContain(status);
    return (await isRunOf(id)).runId !== runId;
  }, 120_000);

  const anew = await isRunOf(id);
  expect(anew.typedSearchAttributes.get(SEARCH_ATTRIBUTES.version)).toBe(4);
  expect(anew.raw.executionConfig?.defaultWorkflowTaskTimeout?.seconds?.toString()).toBe('2');
  const hash = await transaction(corridor.anyone, lp.address, 10.05);
  expect((await served(() => settle(agent, id, hash))).status).toBe(200);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
});
