import { afterAll, expect, test } from '@jest/globals';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

const corridor = await startCorridor();
const client = await connectToTemporal(corridor);
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

test('an operator finds an order in Temporal by the party that must act, while no worker runs', async () => {
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
  const [open, claimed] = [await agent.newOrder(), await agent.newOrder()];
  await lp.claim(claimed);
  await corridor.stopWorker();
  const found = async (query: string) => {
    const ids = [];
    for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
    return ids.join();
  };
  await eventuallyEquals(() => found(`OrderStatus = 'matched' AND WaitingFor = 'lp'`), `order-${open}`);
  await eventuallyEquals(
    () => found(`OrderStatus = 'claimed' AND LpId = ${lp.id} AND Currency = 'KES'`),
    `order-${claimed}`,
  );
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  await eventuallyEquals(
    () => found(`OrderStatus = 'claimed' AND DueAt < '${inAnHour}'`),
    `order-${claimed}`,
  );
  const { staticSummary, staticDetails, memo } = await client.workflow
    .getHandle(`order-${claimed}`)
    .describe();
  expect(await staticSummary()).toBe(`Order ${claimed}: deliver 1295 KES`);
  expect(await staticDetails()).toContain(`npm run admin -- why ${claimed}`);
  expect(memo).toEqual({ order_id: claimed, amount_fiat: '1295', currency: 'KES' });
  const { events } = await client.workflow.getHandle(`order-${claimed}`).fetchHistory();
  const timers = (events ?? []).filter((event) => event.timerStartedEventAttributes);
  expect(timers.map(({ userMetadata }) => String(userMetadata?.summary?.data))).toEqual(['"deadline"']);
  await corridor.startWorker();
});

test('the history of an order names its steps, but no recipient, phone, key or URL', async () => {
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
  const id = await agent.confirmedOrder(lp, {
    recipient: '+254799888777',
    recipient_name: 'Canary Recipient',
    callback_url: `${corridor.receiver.url}?token=canary-token`,
  });
  await agent.settle(id, await corridor.payment(agent, id));
  await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
  const handle = client.workflow.getHandle(`order-${id}`);
  expect(await handle.result()).toBe('completed');

  const text = historyText(await handle.fetchHistory());
  for (const step of [
    'claim',
    'markFiatSent',
    'confirm',
    'settle',
    'verifyTransaction',
    'complete',
    'deliverWebhook',
  ]) {
    expect(text).toContain(step);
  }
  expect(text).toContain(`claimed → fiat_sent, asked by lp:${lp.id}`);
  const secrets = ['254799888777', 'Canary Recipient', 'canary-token', '254711000001', lp.key, agent.key];
  for (const secret of secrets) expect(text).not.toContain(secret);
});

/** Every byte string of a history, decoded, in one text. */
function historyText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(historyText).join('\n');
}
