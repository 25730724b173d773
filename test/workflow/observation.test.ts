import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, WorkflowClient } from '@temporalio/client';
import {
  createStuckWorkflowRepair,
  repairSuspected,
} from '../../src/operations/upkeep/jobs/repair-stuck-workflows.ts';
import { createObservation } from '../../src/operations/upkeep/observe-orders.ts';
import { ORDER_WORKFLOW, orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { takeStep } from '../support/take-step.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

/** Rounds of the reconciler with more open orders than one round compares. */
const SIZE = 4;
const ORDERS = 11;
/** Enough rounds for a lap of both pages, from anywhere in it. */
const LAP = 2 * Math.ceil((ORDERS + 2) / SIZE);
let corridor: TestCorridor;
let client: Client;
let workflow: WorkflowClient;
let agent: Agent;
let ids: number[];
beforeAll(async () => {
  // Nothing else repairs what a test breaks.
  corridor = await startCorridor({ worker: false });
  client = await connectToTemporal(corridor);
  ({ workflow } = client);
  agent = await corridor.newAgent();
  await corridor.newLp();
  ids = [];
  while (ids.length < ORDERS) ids.push(await agent.newOrder());
  await isListed(ids, ORDERS);
});
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

const { gateway, db } = { gateway: () => corridor.shared.gateway, db: () => corridor.db };
const isListed = (orderIds: number[], count: number) =>
  eventuallyEquals(async () => (await gateway().runningAmong(orderIds)).size, count);
const observation = (size = SIZE) => createObservation({ db: db(), gateway: gateway() }, '0 s', size);

/** The orders of each of the next rounds, and the workflows. */
async function rounds(observe = observation(), count = LAP) {
  const seen = [];
  for (let n = 0; n < count; n++) seen.push(await observe());
  return seen;
}

test('one round reads everything if one page has all workflows', async () => {
  const { running, orders } = await observation(ORDERS)();
  expect([...orders.keys()].sort((a, b) => a - b)).toEqual(ids);
  expect(running.size).toBe(ORDERS);
});

test('with more, a lap of rounds reads every order with its workflow, and no round reads many', async () => {
  const seen = await rounds();
  const orders = new Set(seen.flatMap((round) => [...round.orders.keys()]));
  expect([...orders].sort((a, b) => a - b)).toEqual(ids);
  // One page of workflows, one of orders, the newest order and an unanswered one.
  for (const round of seen) expect(round.orders.size).toBeLessThanOrEqual(2 * SIZE + 2);
  for (const round of seen)
    for (const id of round.orders.keys()) expect(round.running.get(id)).toMatchObject({ status: 'matched' });
});

test('a workflow that lags is refreshed, though it is in one round of each lap only', async () => {
  // In the middle of the pages of workflows, which are newest first, and of the windows of orders, so they have it in the same round.
  const middle = ids[5] ?? 0;
  const until = new Date(Date.now() + 100 * 86_400_000).toISOString();
  expect((await takeStep(db(), 'extendDeadline', middle, { trigger: 'extend', until })).result).toBe(
    'applied',
  );
  const refreshed: number[] = [];
  const refresh = async (id: number) => {
    refreshed.push(id);
    return true;
  };
  const log = corridor.shared.log;
  const repair = createStuckWorkflowRepair({ db: db(), gateway: { ...gateway(), refresh }, log });
  const observe = observation();
  let rounds = 0;
  for (let round = 0; round < 3 * LAP; round++) {
    const observed = await observe();
    if (observed.orders.has(middle)) rounds += 1;
    await repairSuspected({ db: db(), gateway: gateway() }, observed, repair);
  }
  expect(rounds).toBeLessThan((3 * LAP) / 2);
  expect(refreshed).toContain(middle);
});

test('a lap finds an order without a workflow, and a workflow without an order', async () => {
  const [first = 0] = ids;
  await workflow.getHandle(orderWorkflowId(first)).terminate();
  const stray = 999_999_999;
  await workflow.start(ORDER_WORKFLOW, {
    ...{ workflowId: orderWorkflowId(stray), taskQueue: `nobody-${randomUUID()}`, args: [{}] },
  });
  await isListed([first], 0);
  await isListed([stray], 1);
  const seen = await rounds();
  const missing = seen.filter(({ running, orders }) => orders.has(first) && !running.has(first));
  expect(missing.length).toBeGreaterThan(0);
  expect(seen.some(({ running, orders }) => running.has(stray) && !orders.has(stray))).toBe(true);
  expect(seen.every(({ running }) => !running.has(first))).toBe(true);
});

test('an unanswered order is in every round', async () => {
  const [, second = 0] = ids;
  await db().query('t-unanswered', 'insert into unanswered_order (order_id) values ($1)', [second]);
  for (const { orders } of await rounds()) expect(orders.has(second)).toBe(true);
});

test('an order that ends while a round reads does not look like one without a workflow', async () => {
  const [, , third = 0] = ids;
  await corridor.startWorker();
  const observe = createObservation(
    {
      db: db(),
      gateway: {
        ...gateway(),
        runningAmong: async (asked) => {
          if (asked.includes(third)) {
            await agent.cancel(third);
            await eventually(async () => !(await gateway().runningAmong([third])).has(third));
          }
          return gateway().runningAmong(asked);
        },
      },
    },
    '0 s',
    SIZE,
  );
  for (const { running, orders } of await rounds(observe))
    if (orders.has(third)) expect(running.has(third)).toBe(true);
  expect((await db().query('t-status', 'select status from orders where id = $1', [third]))[0]).toEqual({
    status: 'cancelled',
  });
});

test('a position that Temporal does not know is forgotten', async () => {
  const asked: (Uint8Array | undefined)[] = [];
  const observe = createObservation(
    {
      db: db(),
      gateway: {
        ...gateway(),
        runningPage: async (size, after) => {
          asked.push(after);
          if (after) throw new Error('the position is gone');
          return gateway().runningPage(size);
        },
      },
    },
    '0 s',
    SIZE,
  );
  await observe();
  await expect(observe()).rejects.toThrow('the position is gone');
  await observe();
  expect(asked.map((after) => after === undefined)).toEqual([true, false, true]);
});
