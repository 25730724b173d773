import { expect, test } from '@jest/globals';
import type { pay } from '../../support/actors.ts';
import { eventually } from '../../support/eventually.ts';
import type { Agent } from '../../support/parties.ts';
import { useCorridor } from '../../support/use-corridor.ts';
import { waitingFor } from '../../support/waiting-statements.ts';

/** An agent that sends many requests at once, each of which takes long, on an installation with few connections. */
const CONCURRENT = 2;
const MANY = 20;

const corridor = await useCorridor({
  // Its jobs would wait for the same tables.
  worker: false,
  env: {
    COMMAND_CONCURRENCY: `${CONCURRENT}`,
    READ_CONCURRENCY: `${CONCURRENT}`,
    DATABASE_POOL_SIZE: `${3 * CONCURRENT}`,
  },
});
await corridor.newLp();
const [crowd, single] = [await corridor.newUnlimitedAgent(), await corridor.newUnlimitedAgent()];

/** Makes each statement that uses the table wait during `work`, which learns how many wait. */
async function whileLocked(table: string, work: (blocked: () => Promise<number>) => Promise<void>) {
  const holder = await corridor.db.pool.connect();
  await holder.query(`begin; lock table ${table} in access exclusive mode`);
  try {
    await work(async () => (await waitingFor(holder, table)).length);
  } finally {
    await holder.query('commit');
    holder.release();
  }
}
const statusOf = (agent: Agent, orderId: number) => agent.call('GET', `/api/v1/status/${orderId}`);

test('payments of one agent take few connections at a time, delay neither another agent’s nor its own reads, and none is lost', async () => {
  const first = await crowd.newOrder();
  const sent: ReturnType<typeof pay>[] = [];
  await whileLocked('lp_term', async (blocked) => {
    for (let n = 0; n < MANY; n++) sent.push(crowd.pay());
    await eventually(async () => (await blocked()) >= CONCURRENT);
    sent.push(single.pay());
    await eventually(async () => (await blocked()) >= CONCURRENT + 1);
    for (let n = 0; n < MANY; n++) expect((await statusOf(crowd, first)).status).toBe(200);
    expect(await blocked()).toBeLessThanOrEqual(CONCURRENT + 1);
  });
  const answers = await Promise.all(sent);
  // On a slow machine a statement may wait for longer than it is allowed to.
  for (const { status } of answers) expect([201, 503]).toContain(status);
  const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.order_id);
  const { body } = await corridor.admin('GET', '/api/admin/orders?limit=100');
  expect(new Set(ids).size).toBe(ids.length);
  expect(body.orders.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining(ids));
});

test('reads of one key take few connections at a time, and delay no other key', async () => {
  const orderId = await single.newOrder();
  const sent: ReturnType<typeof crowd.call>[] = [];
  await whileLocked('webhook_delivery', async (blocked) => {
    for (let n = 0; n < MANY; n++) sent.push(crowd.call('GET', '/api/v1/webhook-deliveries'));
    await eventually(async () => (await blocked()) >= CONCURRENT);
    for (let n = 0; n < MANY; n++) expect((await statusOf(single, orderId)).status).toBe(200);
    expect(await blocked()).toBeLessThanOrEqual(CONCURRENT);
  });
  for (const { status } of await Promise.all(sent)) expect([200, 503]).toContain(status);
});
