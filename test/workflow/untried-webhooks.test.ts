import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import proto from '@temporalio/proto';
import { createUntriedWebhookResend } from '../../src/operations/upkeep/jobs/resend-untried-webhooks.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

/** Two orders with a reopened webhook whose workflows got no signal. Without a worker, nothing else signals them. */
const STARTED = proto.temporal.api.enums.v1.PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_STARTED;

const corridor = await startCorridor();
const client = await connectToTemporal(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const orders = [await delivered(), await delivered()];
await corridor.stopWorker();
// While a stopped worker holds a task, Temporal does not add signals to the history.
const { workflow } = client;
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
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

async function delivered(): Promise<number> {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  expect((await lp.claim(id)).status).toBe(200);
  await eventuallyEquals(async () => {
    const sql = 'select state from webhook_delivery where order_id = $1';
    return (await corridor.db.query<{ state: string }>('is-delivered', sql, [id]))[0]?.state;
  }, 'delivered');
  return id;
}

/** The number of redelivery signals of each order's workflow, from its history. */
async function signals(): Promise<number[]> {
  const { workflow } = client;
  const histories = orders.map((id) => workflow.getHandle(`order-${id}`).fetchHistory());
  return (await Promise.all(histories)).map(
    ({ events }) =>
      (events ?? []).filter(
        ({ workflowExecutionSignaledEventAttributes }) =>
          workflowExecutionSignaledEventAttributes?.signalName === 'redeliver',
      ).length,
  );
}

/** Moves the clock of this process forward. */
function later(ms: number): void {
  const from = Date.now() + ms;
  const since = performance.now();
  jest.spyOn(Date, 'now').mockImplementation(() => from + performance.now() - since);
}

test('a reopened webhook is signalled in the second round, and again after a minute without an attempt', async () => {
  const before = await signals();
  const resend = createUntriedWebhookResend({ ...corridor.shared });
  await resend();
  expect(await signals()).toEqual(before);
  await resend();
  await resend();
  expect(await signals()).toEqual(before.map((times) => times + 1));
  later(61_000);
  await resend();
  await resend();
  expect(await signals()).toEqual(before.map((times) => times + 2));
});

test('an order whose signal Temporal refuses delays no other order, and is signalled in the next round', async () => {
  const before = await signals();
  const { gateway } = corridor.shared;
  let broken = orders[0];
  const failure = new Error('Temporal does not take this one');
  const refusing: typeof gateway.resend = async (orderId, seq) => {
    if (orderId === broken) throw failure;
    return gateway.resend(orderId, seq);
  };
  const resend = createUntriedWebhookResend({ ...corridor.shared, gateway: { resend: refusing } });
  await resend();
  const round = resend();
  await expect(round).rejects.toThrow(AggregateError);
  await expect(round).rejects.toMatchObject({ errors: [failure] });
  const [first = 0, second = 0] = before;
  expect(await signals()).toEqual([first, second + 1]);

  broken = undefined;
  await resend();
  expect(await signals()).toEqual([first + 1, second + 1]);
});

test('a workflow that is signalled twice sends the webhook once', async () => {
  await corridor.startWorker();
  const webhookCounts = () =>
    orders.map((id) => corridor.receiver.received.filter(({ body }) => body.order_id === id).length).join();
  await eventuallyEquals(async () => webhookCounts(), '2,2');
  // The next webhook arrives after it, so there is no third one.
  for (const id of orders) {
    expect((await lp.fiatSent(id)).status).toBe(200);
    await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'fiat_sent');
  }
  expect(webhookCounts()).toBe('3,3');
});
