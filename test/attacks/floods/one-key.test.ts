import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Agent, newLp, newOrder, newUnlimitedAgent, pay } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { type HeldTable, holdTable } from '../../support/held-table.ts';

/** An agent that sends many requests at once, each of which takes long, on an installation with few connections. */
const AT_ONCE = 2;
const MANY = 20;

let corridor: TestCorridor;
let crowd: Agent;
let single: Agent;
let held: HeldTable;
beforeAll(async () => {
  corridor = await startCorridor({
    env: {
      COMMANDS_AT_ONCE: `${AT_ONCE}`,
      READS_AT_ONCE: `${AT_ONCE}`,
      DATABASE_POOL_SIZE: `${3 * AT_ONCE}`,
    },
  });
  await newLp(corridor);
  [crowd, single] = [await newUnlimitedAgent(corridor), await newUnlimitedAgent(corridor)];
});
afterAll(() => corridor.stop());

const waitingForLock = async (): Promise<number> => {
  const rows = await held.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows[0]?.n ?? 0;
};

test('payments of one agent take few connections at a time, delay neither another agent’s nor its own reads, and none is lost', async () => {
  const first = await newOrder(crowd);
  held = await holdTable(corridor.shared.databaseUrl, 'orders');
  const sent = Promise.all(Array.from({ length: MANY }, () => pay(crowd)));
  await eventually(async () => (await waitingForLock()) === AT_ONCE);
  const other = pay(single);
  try {
    await eventually(async () => (await waitingForLock()) === AT_ONCE + 1);
    expect((await crowd.call('GET', `/api/v1/status/${first}`)).status).toBe(200);
    expect(await waitingForLock()).toBe(AT_ONCE + 1);
  } finally {
    await held.release();
  }
  const answers = [...(await sent), await other];
  await held.close();
  // On a slow machine a statement may wait for longer than it is allowed to.
  for (const { status } of answers) expect([201, 503]).toContain(status);
  const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.order_id);
  const { body } = await corridor.admin('GET', '/api/admin/orders?limit=100');
  const kept = body.orders.map(({ id }: { id: number }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(kept).toEqual(expect.arrayContaining(ids));
});

test('reads of one key take few connections at a time, and delay no other key', async () => {
  const orderId = await newOrder(single);
  const holder = await corridor.db.pool.connect();
  await holder.query('begin; lock table webhook_delivery in access exclusive mode');
  const sent = Promise.all(
    Array.from({ length: MANY }, () => crowd.call('GET', '/api/v1/webhook-deliveries')),
  );
  const blocked = async (): Promise<number> => {
    const sql = `select count(*)::int as n from pg_locks where not granted and relation = 'webhook_delivery'::regclass`;
    return (await holder.query(sql)).rows[0].n;
  };
  try {
    await eventually(async () => (await blocked()) >= AT_ONCE);
    for (let n = 0; n < MANY; n++)
      expect((await single.call('GET', `/api/v1/status/${orderId}`)).status).toBe(200);
    expect(await blocked()).toBe(AT_ONCE);
  } finally {
    await holder.query('commit');
    holder.release();
  }
  for (const { status } of await sent) expect([200, 503]).toContain(status);
});
