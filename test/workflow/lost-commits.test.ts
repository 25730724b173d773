import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { OrderStatus } from '../../src/domain/order-state.ts';
import { adminDoes, lastTransition, rowOf } from '../support/actors.ts';
import { KEEP_EVENTS, LET_EVENTS_CHANGE } from '../support/edit-events.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { readExposition } from '../support/exposition.ts';
import { createIntruder } from '../support/intruder.ts';
import { copyOrder } from '../support/lost-commits.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { unanswered } from '../support/unanswered.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** After a failover or a restore, the database lacks commits that workflows have seen. The worker reconciles them. */
const logged: string[] = [];
const stream = new PassThrough().on('data', (chunk) => logged.push(String(chunk)));
const logTo = Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream;
const corridor = await useCorridor({ env: { LOG_LEVEL: 'error' }, logTo });
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });
const { admin } = corridor;

const observed = (id: number) => corridor.shared.gateway.lastSeen(id);
const seen = (id: number, status: OrderStatus, version: number) =>
  eventually(async () => {
    const state = await observed(id);
    return state?.status === status && state.version === version;
  });
const lose = async (id: number, step: () => Promise<unknown>, status: OrderStatus, version: number) => {
  const loseCommits = await copyOrder(corridor.db, id);
  await step();
  await seen(id, status, version);
  await loseCommits();
};
const isFrozen = (id: number) => eventually(async () => (await rowOf(admin, id)).frozen);
const reported = (id: number) => logged.filter((line) => line.includes(`"orderId":${id},`));
const drift = async () => {
  const { drift, needs_attention } = await expectStatus(200, admin('GET', '/api/admin/reconciliation'));
  const found = drift.flatMap(({ kind, first }: { kind: string; first: { order_id: number }[] }) =>
    first.map(({ order_id }) => `${kind} ${order_id}`),
  );
  return { found, needs_attention };
};
const claimedOrder = async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await expectStatus(200, lp.claim(id));
  return id;
};

test('an order that lost a commit is frozen with both states, reported, and continues once an admin unfreezes it', async () => {
  const id = await claimedOrder();
  await lose(id, () => expectStatus(200, lp.fiatSent(id)), 'fiat_sent', 3);
  await isFrozen(id);
  const reason =
    'The database lost commits: the order was seen as fiat_sent, version 3, and its row was claimed, version 2';
  expect(await rowOf(admin, id)).toMatchObject({
    ...{ status: 'claimed', version: 4, timeout_at: null, status_reason: reason },
  });
  expect(await lastTransition(admin, id)).toMatchObject({
    ...{ seq: 4, from_status: 'claimed', status: 'claimed', actor: 'service', cause: 'lost-commits', reason },
  });
  // The workflow adopts the frozen row, so that no deadline runs.
  await seen(id, 'claimed', 4);
  const timeline = await expectStatus(200, agent.call('GET', `/api/v1/orders/${id}/timeline`));
  expect(timeline.next).toEqual({ waiting_for: 'admin', due_at: null, stopped: null });
  expect(reported(id)).toHaveLength(1);
  expect(reported(id)[0]).toMatch(/"level":50,.*the database has lost commits of an order/);

  await eventually(async () => (await drift()).found.includes(`commits_lost ${id}`));
  expect((await drift()).needs_attention).toBe(true);
  await eventuallyEquals(async () => {
    const text = String(await expectStatus(200, admin('GET', '/metrics')));
    const { samples = [] } = readExposition(text).get('corridor_drift') ?? {};
    return samples.find(({ labels }) => labels.kind === 'commits_lost')?.value;
  }, 1);

  for (const refused of [lp.fiatSent(id), agent.dispute(id)]) expect((await refused).status).toBe(409);
  const { timeout_at } = await expectStatus(200, adminDoes(admin, 'unfreeze', id));
  expect(Date.parse(timeout_at)).toBeGreaterThan(Date.now());
  await eventually(async () => !(await drift()).found.includes(`commits_lost ${id}`));
  await expectStatus(200, lp.fiatSent(id));
  await expectStatus(200, agent.confirm(id));
  await expectStatus(200, agent.settle(id, await corridor.payment(agent, id)));
  await eventuallyEquals(() => agent.statusOf(id), 'completed');
  await expectSoundWhenStill(corridor);
}, 180_000);

test('an order that lost its claim is offered to no LP', async () => {
  const id = await agent.newOrder();
  await lose(id, () => expectStatus(200, lp.claim(id)), 'claimed', 2);
  await isFrozen(id);
  expect((await (await corridor.newLp()).claim(id)).status).toBe(409);
  await expectStatus(200, adminDoes(admin, 'unfreeze', id));
  await expectStatus(200, agent.cancel(id));
});

test('a loss is found when workers start, and for an order whose workflow has ended', async () => {
  const [open, ended] = [await claimedOrder(), await agent.newOrder()];
  const [loseOpen, loseEnded] = [await copyOrder(corridor.db, open), await copyOrder(corridor.db, ended)];
  await expectStatus(200, lp.fiatSent(open));
  await expectStatus(200, agent.cancel(ended));
  await seen(open, 'fiat_sent', 3);
  await eventually(async () => !(await corridor.shared.gateway.runningOrder(ended)));
  await corridor.stopWorker();
  await loseOpen();
  await loseEnded();
  await corridor.startWorker();
  for (const id of [open, ended]) await isFrozen(id);
  expect(await rowOf(admin, ended)).toMatchObject({ status: 'matched', version: 3, timeout_at: null });
  expect((await lp.claim(ended)).status).toBe(409);
  for (const id of [open, ended]) {
    await seen(id, id === open ? 'claimed' : 'matched', id === open ? 4 : 3);
    await eventuallyEquals(async () => (await adminDoes(admin, 'unfreeze', id)).status, 200);
  }
  await expectStatus(200, agent.cancel(ended));
  await expectStatus(200, lp.fiatSent(open));
}, 120_000);

test('a lost resolution of a dispute is reported, and the admin decides again', async () => {
  const id = await claimedOrder();
  await expectStatus(200, agent.dispute(id));
  const resolve = () =>
    expectStatus(200, adminDoes(admin, 'resolve', id, { outcome: 'cancelled', slash_usd: 0 }));
  await lose(id, resolve, 'cancelled', 4);
  await eventually(async () => (await drift()).found.includes(`commits_lost ${id}`));
  expect(await rowOf(admin, id)).toMatchObject({
    ...{ status: 'disputed', version: 5, frozen: false },
    status_reason: expect.stringContaining('was seen as cancelled, version 4'),
  });
  await eventuallyEquals(async () => {
    const { status } = await adminDoes(admin, 'resolve', id, { outcome: 'cancelled', slash_usd: 0 });
    return status;
  }, 200);
  expect((await drift()).found).not.toContain(`commits_lost ${id}`);
});

test('an order without a row is reported until an operator ends its workflow', async () => {
  const intruder = await createIntruder(corridor);
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  await seen(id, 'claimed', 2);
  const unlose = await copyOrder(corridor.db, id);
  await corridor.db.pool.query(`
    ${LET_EVENTS_CHANGE};
    set session_replication_role = replica;
    delete from orders where id = ${id}; delete from order_event where order_id = ${id};
    set session_replication_role = origin;
    ${KEEP_EVENTS}`);
  // Otherwise the database would assign the same id again.
  await corridor.db.pool.query(`select setval('orders_id_seq', ${id - 1})`);
  await eventually(async () => reported(id).some((line) => line.includes('moved all ids ahead')));
  expect(await agent.newOrder()).toBeGreaterThan(id + 999_000);
  await eventually(async () => (await drift()).found.includes(`order_missing ${id}`));
  await eventually(async () =>
    reported(id).some((line) => line.includes('order that the database does not have')),
  );
  await intruder.client.workflow.getHandle(`order-${id}`).terminate('by the operator');
  await eventually(async () => !(await drift()).found.includes(`order_missing ${id}`));
  await intruder.leave();
  await unlose();
});

test('a workflow that shows more than any loss explains cannot raise the version to its limit', async () => {
  const intruder = await createIntruder(corridor);
  const id = await claimedOrder();
  const { client } = intruder;
  await corridor.stopWorker();
  const { OrderVersion, OrderStatus } = (await client.workflow.getHandle(`order-${id}`).describe())
    .searchAttributes;
  expect([OrderVersion, OrderStatus]).toEqual([[2], ['claimed']]);
  const [input] = await firstInput(client, id);
  const forged = { ...input, state: { ...input.state, version: 2_147_483_646, status: 'confirmed' } };
  await client.workflow.start('order', {
    ...{ workflowId: `order-${id}`, taskQueue: 'corridor-orders', args: [forged] },
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    searchAttributes: { OrderVersion: [2_147_483_646], OrderStatus: ['confirmed'] },
  });
  await corridor.startWorker();
  // Its next step finds the row, and the workflow adopts it.
  await eventuallyEquals(async () => (await unanswered(corridor, () => lp.fiatSent(id))).status, 200);
  expect(await rowOf(admin, id)).toMatchObject({ status: 'fiat_sent', version: 3, frozen: false });
  await intruder.leave();
}, 120_000);

async function firstInput(client: Awaited<ReturnType<typeof createIntruder>>['client'], id: number) {
  const { events } = await client.workflow.getHandle(`order-${id}`).fetchHistory();
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return payloads.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));
}
