import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { createReopenedWebhooks } from '../../src/orders/reopened-webhooks.ts';
import { type Agent, claim, newAgent, newLp, newOrder, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';

/** Two orders that owe a webhook again, and whose workflows were not told: with no worker, nobody else tells them. */
const STARTED = proto.temporal.api.enums.v1.PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_STARTED;
let corridor: TestCorridor;
let connection: Connection;
let agent: Agent;
let lp: TestLp;
let orders: number[];
beforeAll(async () => {
  corridor = await startCorridor();
  connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
  orders = [await delivered(), await delivered()];
  await corridor.stopWorker();
  // While a task is out, with a worker that has gone, Temporal keeps signals back from the history.
  const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
  for (const id of orders)
    await eventually(async () => {
      const { raw } = await workflow.getHandle(`order-${id}`).describe();
      return raw.pendingWorkflowTask?.state !== STARTED;
    });
  await corridor.db.query(
    'reopened',
    `update webhook_delivery set state = 'pending', attempts_before = attempts, finished_at = null`,
    [],
  );
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await connection.close();
  await corridor.stop();
});

async function delivered(): Promise<number> {
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  expect((await claim(lp, id)).status).toBe(200);
  await eventuallyEquals(async () => {
    const sql = 'select state from webhook_delivery where order_id = $1';
    return (await corridor.db.query<{ state: string }>('is-delivered', sql, [id]))[0]?.state;
  }, 'delivered');
  return id;
}

/** How often each order's workflow was told to send a webhook again, as Temporal has it. */
async function told(): Promise<number[]> {
  const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
  const histories = orders.map((id) => workflow.getHandle(`order-${id}`).fetchHistory());
  return (await Promise.all(histories)).map(
    ({ events }) =>
      (events ?? []).filter(
        ({ workflowExecutionSignaledEventAttributes }) =>
          workflowExecutionSignaledEventAttributes?.signalName === 'redeliver',
      ).length,
  );
}

/** From now on the clock of this process is this much further. */
function later(ms: number): void {
  const from = Date.now() + ms;
  const since = performance.now();
  jest.spyOn(Date, 'now').mockImplementation(() => from + performance.now() - since);
}

test('a webhook to be sent again is told at the second look, and again when nothing has come of it', async () => {
  const before = await told();
  const tell = createReopenedWebhooks({ ...corridor.shared });
  await tell();
  expect(await told()).toEqual(before);
  await tell();
  await tell();
  expect(await told()).toEqual(before.map((times) => times + 1));
  later(61_000);
  await tell();
  await tell();
  expect(await told()).toEqual(before.map((times) => times + 2));
});

test('one that cannot be told keeps no other from it, and is told at the next look', async () => {
  const before = await told();
  const { gateway } = corridor.shared;
  let broken = orders[0];
  const failure = new Error('Temporal does not take this one');
  const resend: typeof gateway.resend = async (orderId, seq) => {
    if (orderId === broken) throw failure;
    return gateway.resend(orderId, seq);
  };
  const tell = createReopenedWebhooks({ ...corridor.shared, gateway: { resend } });
  await tell();
  const told0 = tell();
  await expect(told0).rejects.toThrow(AggregateError);
  await expect(told0).rejects.toMatchObject({ errors: [failure] });
  const [first = 0, second = 0] = before;
  expect(await told()).toEqual([first, second + 1]);

  broken = undefined;
  await tell();
  expect(await told()).toEqual([first + 1, second + 1]);
});

test('told twice, a workflow sends it once', async () => {
  await corridor.startWorker();
  const heard = () =>
    orders.map((id) => corridor.receiver.received.filter(({ body }) => body.order_id === id).length).join();
  await eventuallyEquals(async () => heard(), '2,2');
  // What comes after it has had its turn: nothing was sent a third time.
  for (const id of orders) {
    expect((await lp.call('POST', `/api/orders/${id}/fiat-sent`, {})).status).toBe(200);
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'fiat_sent');
  }
  expect(heard()).toBe('3,3');
});
