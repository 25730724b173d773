import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { expectStatus } from '../../demo/http.ts';
import { ordersToReconcile, overdueOrders, silentOrders } from '../../src/db/queries/reconciled-orders.ts';
import { createFailingWorkflows } from '../../src/orders/failing-workflows.ts';
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

/** Puts a workflow in the order's place whose tasks fail each time, though it believes what the row says. */
async function breakWorkflowOf(id: number): Promise<void> {
  const [row] = await ordersToReconcile(corridor.db, [id]);
  await workflow.start(ORDER_WORKFLOW, {
    workflowId: orderWorkflowId(id),
    taskQueue: TASK_QUEUE,
    args: [{}],
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.version, value: row?.version ?? 0 },
      { key: SEARCH_ATTRIBUTES.orderStatus, value: row?.status ?? '' },
    ],
  });
  await eventually(() => corridor.shared.gateway.failsItsTasks(id));
}

/** Two looks at the orders that have been silent for longer than this. */
async function seeToSilent(silence: string): Promise<number[]> {
  const { gateway, log } = corridor.shared;
  const see = createFailingWorkflows({ gateway, log, durations: corridor.config.durations });
  const looked = [await silentOrders(corridor.db, silence), await silentOrders(corridor.db, silence)];
  for (const silent of looked) expect(await see(silent)).toEqual([]);
  return looked.flat().map(({ id }) => id);
}

test('an order whose workflow fails its tasks, and leaves callers without an answer, soon has another', async () => {
  const [id, sound] = [await newOrder(agent), await newOrder(agent)];
  expect((await claim(lp, sound)).status).toBe(200);
  await breakWorkflowOf(id);
  expect((await claim(lp, id)).status).toBe(503);
  await eventually(async () => (await seeToSilent('1 hour')).includes(id));
  expect(await seeToSilent('1 hour')).not.toContain(sound);
  expect((await served(() => claim(lp, id))).status).toBe(200);
});

test('an order that has ended and whose workflow fails, with a webhook still owed, sends it all the same', async () => {
  const id = await confirmedOrder(agent, lp, { callback_url: corridor.receiver.url });
  await settle(agent, id, await transaction(corridor.anyone, lp.address, 10.05));
  const told = ({ body }: { body: { order_id: number; status: string } }) =>
    body.order_id === id && body.status === 'completed';
  await corridor.receiver.next(told);
  await eventuallyEquals(async () => (await isRunOf(id)).status.name, 'COMPLETED');
  const owe = `update webhook_delivery set state = 'pending', finished_at = null where order_id = $1 and seq = 6`;
  await corridor.db.query('owe-again', owe, [id]);
  await breakWorkflowOf(id);
  const before = corridor.receiver.received.filter(told).length;
  expect(await seeToSilent('1 hour')).not.toContain(id);
  await eventually(async () => (await seeToSilent('1 second')).includes(id));
  await eventually(async () => corridor.receiver.received.filter(told).length > before);
});

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
