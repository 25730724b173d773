import { afterAll, expect, test } from '@jest/globals';
import {
  createStuckWorkflowRepair,
  type SuspectedOrder,
} from '../../src/operations/upkeep/jobs/repair-stuck-workflows.ts';
import {
  ordersToReconcile,
  overdueOrders,
  type ReconciledOrder,
  silentOrders,
} from '../../src/operations/upkeep/reconciled-orders.ts';
import { TASK_QUEUE } from '../../src/temporal/start-options.ts';
import { ORDER_WORKFLOW, orderWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectToTemporal } from '../support/temporal-client.ts';
import { unanswered } from '../support/unanswered.ts';

/** Workflows that cannot continue by themselves. */
const corridor = await startCorridor();
const client = await connectToTemporal(corridor);
const { workflow } = client;
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 1_000 });
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

const suspected = (sign: SuspectedOrder['sign'], orders: ReconciledOrder[]): SuspectedOrder[] =>
  orders.map((order) => ({ order, sign }));
const describeRun = (id: number) => workflow.getHandle(orderWorkflowId(id)).describe();
/** Runs as many rounds as are needed to replace a workflow that lags. */
async function repairLagging(ids: number[]): Promise<void> {
  const { gateway, log } = corridor.shared;
  const repair = createStuckWorkflowRepair({
    ...{ db: corridor.db, gateway, log, refreshAgainAfterMs: -1 },
  });
  // Suspected, refreshed, refreshed again, replaced.
  for (let rounds = 0; rounds < 4; rounds++)
    await repair(suspected('lagging', await ordersToReconcile(corridor.db, ids)));
}

/** Replaces the order's workflow by one whose tasks fail each time, though its observed state is the row's. */
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
  await eventually(() => corridor.shared.gateway.hasFailedTask(id));
}

/** Two rounds with the orders that have been silent for longer than this. */
async function repairSilent(silence: string): Promise<number[]> {
  const { gateway, log } = corridor.shared;
  const repair = createStuckWorkflowRepair({
    db: corridor.db,
    gateway,
    log,
  });
  const rounds = [await silentOrders(corridor.db, silence), await silentOrders(corridor.db, silence)];
  for (const silent of rounds) await repair(suspected('silent', silent));
  return rounds.flat().map(({ id }) => id);
}

test('a workflow that fails its tasks, and leaves callers without a response, is replaced', async () => {
  const [id, sound] = [await agent.newOrder(), await agent.newOrder()];
  expect((await lp.claim(sound)).status).toBe(200);
  await breakWorkflowOf(id);
  expect((await unanswered(corridor, () => lp.claim(id))).status).toBe(503);
  await eventually(async () => (await repairSilent('1 hour')).includes(id));
  expect(await repairSilent('1 hour')).not.toContain(sound);
  expect((await lp.claim(id)).status).toBe(200);
});

test('an ended order with a failing workflow and a pending webhook still sends it', async () => {
  const id = await agent.confirmedOrder(lp, { callback_url: corridor.receiver.url });
  await agent.settle(id, await corridor.payment(agent, id));
  const isCompletion = ({ body }: { body: { order_id: number; status: string } }) =>
    body.order_id === id && body.status === 'completed';
  await corridor.receiver.next(isCompletion);
  await eventuallyEquals(async () => (await describeRun(id)).status.name, 'COMPLETED');
  const before = corridor.receiver.received.filter(isCompletion).length;
  const isSent = () => corridor.receiver.received.filter(isCompletion).length > before;
  const owe = `update webhook_delivery set state = 'pending', finished_at = null where order_id = $1 and seq = 6`;
  await corridor.db.query('owe-again', owe, [id]);
  await breakWorkflowOf(id);
  expect(await repairSilent('1 hour')).not.toContain(id);
  // The service's own upkeep may have started a sound workflow before.
  await eventually(async () => (await repairSilent('1 second')).includes(id) || isSent());
  await eventually(async () => isSent());
});

test('a workflow whose history cannot be replayed is replaced, and its order continues', async () => {
  const id = await agent.newOrder();
  // Its first task fails each time, like a replay that takes another path than its history.
  const broken = await workflow.start(ORDER_WORKFLOW, {
    workflowId: orderWorkflowId(id),
    taskQueue: TASK_QUEUE,
    args: [{}],
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.version, value: 0 }],
  });
  expect((await unanswered(corridor, () => lp.claim(id))).status).toBe(503);
  await repairLagging([id]);
  expect((await describeRun(id)).runId).not.toBe(broken.firstExecutionRunId);
  expect((await lp.claim(id)).status).toBe(200);
});

test('an order whose workflow missed its deadline is found, and ends', async () => {
  const id = await agent.newOrder();
  await corridor.db.query(
    'long-overdue',
    `update orders set timeout_at = now() - interval '1 hour' where id = $1`,
    [id],
  );
  expect((await overdueOrders(corridor.db, '3 minutes')).map((order) => order.id)).toEqual([id]);
  await repairLagging([id]);
  await eventuallyEquals(() => agent.statusOf(id), 'cancelled');
  expect(await overdueOrders(corridor.db, '3 minutes')).toEqual([]);
});
