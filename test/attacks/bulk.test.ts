import { afterAll, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import type { Role } from '../../src/domain/permissions.ts';
import { dryRunBulk } from '../../src/operations/bulk/dry-run.ts';
import { startBulkRuns } from '../../src/operations/upkeep/jobs/start-bulk-runs.ts';
import { TASK_QUEUE } from '../../src/temporal/start-options.ts';
import { BULK_WORKFLOW, bulkWorkflowId, ORDER_WORKFLOW } from '../../workflows/messages.ts';
import { BULK, bulk, dryRun, endedRun, eventsOf, readRun, startRun } from '../support/bulk.ts';
import { startCorridor } from '../support/corridor.ts';
import { createIntruder } from '../support/intruder.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** A bulk run reaches many orders, so each of its rules is worth an attack. */
const corridor = await startCorridor();
const intruder = await createIntruder(corridor);
const lp = await corridor.newLp();
afterAll(async () => {
  await intruder.leave();
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

let persons = 0;

async function person(role: Role): Promise<{ id: number; call: Call }> {
  const body = { name: `${role} ${++persons}`, role };
  const { id, api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', body));
  return { id, call: corridor.as(api_key) };
}

/** Orders of an agent of their own, and the filter that selects them. */
async function ordersOf(count: number): Promise<{ ids: number[]; where: string }> {
  const agent = await corridor.newAgent();
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await agent.newOrder());
  return { ids, where: `agent=${agent.keyId}` };
}
const expectUntouched = async (ids: number[]) => {
  for (const id of ids) expect(await eventsOf(corridor, id)).toEqual({ pay: 1 });
};
const startForged = (type: string, workflowId: string, input: unknown, taskQueue = TASK_QUEUE) =>
  intruder.client.workflow.start(type, {
    ...{ workflowId, taskQueue, args: [input] },
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  });

test.each(['limit=0', 'limit=101', 'cursor=x'])('the list refuses ?%s', async (query) => {
  await expectStatus(400, corridor.admin('GET', `${BULK}?${query}`));
});

test('a role that may not move one order neither prepares, starts nor stops a run', async () => {
  const { ids, where } = await ordersOf(1);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  for (const role of ['viewer', 'risk', 'treasurer'] as const) {
    const { call } = await person(role);
    const request = { action: 'cancel', where, reason: 'An attack' };
    for (const answer of [
      call('POST', BULK, request),
      startRun(call, id),
      call('POST', `${BULK}/${id}/stop`),
    ]) {
      const { status, headers } = await answer;
      expect([status, headers.get('x-error-code')]).toEqual([403, 'permission_missing']);
    }
  }
  expect(await readRun(corridor.admin, id)).toMatchObject({ state: 'prepared' });
  await expectUntouched(ids);
});

test('an admin cannot start the dry run of another one', async () => {
  const { ids, where } = await ordersOf(1);
  const [one, other] = [await person('support'), await person('owner')];
  const { id } = await dryRun(one.call, 'cancel', where);
  const { status, body } = await startRun(other.call, id);
  expect([status, body.error]).toEqual([
    409,
    `Bulk run ${id} is the dry run of admin:${one.id}: make your own`,
  ]);
  expect((await startRun(corridor.admin, id)).status).toBe(409);
  await expectUntouched(ids);
  await expectStatus(200, startRun(one.call, id));
  await endedRun(corridor.admin, id);
  const sql = `select actor from order_event where order_id = $1 and cause = 'cancel'`;
  expect(await corridor.db.query('t-actor', sql, ids)).toEqual([{ actor: `admin:${one.id}` }]);
});

test('a dry run that is too old, or was stopped, starts nothing', async () => {
  const { ids, where } = await ordersOf(1);
  const [old, stopped] = [
    await dryRun(corridor.admin, 'cancel', where),
    await dryRun(corridor.admin, 'cancel', where),
  ];
  await corridor.db.query('t-age', `update bulk_run set expires_at = now() where id = $1`, [old.id]);
  await expectStatus(200, corridor.admin('POST', `${BULK}/${stopped.id}/stop`));
  for (const { id } of [old, stopped])
    expect(await startRun(corridor.admin, id)).toMatchObject({ status: 409, headers: expect.anything() });
  expect((await startRun(corridor.admin, 999_999)).status).toBe(404);
  await expectUntouched(ids);
});

test('many starts at the same moment are one run', async () => {
  const { ids, where } = await ordersOf(6);
  const { id } = await dryRun(corridor.admin, 'extend', where, { by: '1h' });
  const answers = await Promise.all(Array.from({ length: 8 }, () => startRun(corridor.admin, id)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  await endedRun(corridor.admin, id);
  // A start of a run that has ended changes nothing.
  await expectStatus(200, startRun(corridor.admin, id));
  for (const order of ids) expect(await eventsOf(corridor, order)).toEqual({ pay: 1, extend: 1 });
});

test.each([
  `currency=KES'or'1'='1`,
  `agent=1)or(1=1`,
  `status=matched;delete_from_orders`,
  `chain=trx'--`,
  `due<now()`,
  `created>'2020-01-01'`,
  `lp=7::text`,
  `__proto__=1`,
  'status=matched\u0000',
])('the filter %j is refused, and reaches no statement', async (where) => {
  const request = { action: 'cancel', where, reason: 'An attack' };
  const { status, body } = await corridor.admin('POST', BULK, request);
  expect([status, Object.keys(body.error.fieldErrors)]).toEqual([400, ['where']]);
});

test('text of SQL as a reason is a reason', async () => {
  const { ids, where } = await ordersOf(1);
  const reason = `'); update orders set status = 'completed'; --`;
  await bulk(corridor.admin, 'cancel', where, { reason });
  expect((await corridor.rowOf(ids[0] as number)).status_reason).toMatch(reason);
});

test('a filter that selects more orders than a run may have prepares nothing', async () => {
  const { ids, where } = await ordersOf(3);
  const agent = [Number(where.split('=')[1])];
  const run = { action: 'cancel' as const, arguments: {}, where, filter: { agent }, reason: 'Many' };
  const prepare = (most: number) =>
    dryRunBulk(corridor.shared.db, { ...run, admin: 'admin:root' as const }, most);
  const runs = async () => (await corridor.db.query('t-runs', 'select id from bulk_run', [])).length;
  const before = await runs();
  await expect(prepare(2)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await runs()).toBe(before);
  expect(await readRun(corridor.admin, await prepare(3))).toMatchObject({ orders: ids.length });
});

test('a workflow that somebody starts in Temporal does nothing for a run that its admin has not started', async () => {
  const { ids, where } = await ordersOf(2);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  const forged = await startForged(BULK_WORKFLOW, bulkWorkflowId(id), { runId: id });
  await forged.result();
  expect(await readRun(corridor.admin, id)).toMatchObject({ state: 'prepared', treated: 0 });
  await expectUntouched(ids);
  for (const runId of ['1 or true', null, -1, 1e300, id + 1_000]) {
    const odd = await startForged(BULK_WORKFLOW, `odd-${runId}`, { runId });
    expect(await odd.result()).toEqual({ treated: 0, orders: 0 });
  }
  // The admin can still start it.
  await expectStatus(200, startRun(corridor.admin, id));
  expect(await endedRun(corridor.admin, id)).toMatchObject({ treated: 2 });
});

test('several workflows for the same run treat each order once', async () => {
  const { ids, where } = await ordersOf(12);
  const { id } = await dryRun(corridor.admin, 'extend', where, { by: '1h' });
  await corridor.stopWorker();
  await expectStatus(200, startRun(corridor.admin, id));
  for (const name of ['one', 'other']) await startForged(BULK_WORKFLOW, `${name}-${id}`, { runId: id });
  await corridor.startWorker();
  const run = await endedRun(corridor.admin, id);
  expect(run.outcomes).toEqual([{ outcome: 'applied', reason: null, orders: 12 }]);
  for (const order of ids) expect(await eventsOf(corridor, order)).toEqual({ pay: 1, extend: 1 });
});

test('signals to the workflow of a run change nothing', async () => {
  const { ids, where } = await ordersOf(2);
  const { id } = await dryRun(corridor.admin, 'extend', where, { by: '1h' });
  await corridor.stopWorker();
  await expectStatus(200, startRun(corridor.admin, id));
  const workflow = intruder.client.workflow.getHandle(bulkWorkflowId(id));
  for (const name of ['cancel', 'extend', 'start', 'redeliver'])
    await workflow.signal(name, { runId: id + 1, action: 'cancel', orders: ids });
  await corridor.startWorker();
  await endedRun(corridor.admin, id);
  for (const order of ids) expect(await eventsOf(corridor, order)).toEqual({ pay: 1, extend: 1 });
});

test('a workflow that does nothing in the place of a run’s is replaced', async () => {
  const { where } = await ordersOf(1);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  await startForged(ORDER_WORKFLOW, bulkWorkflowId(id), {}, 'a-queue-without-workers');
  await expectStatus(200, startRun(corridor.admin, id));
  const past = `update bulk_run set started_at = now() - interval '3 minutes' where id = $1`;
  await corridor.db.query('t-stuck', past, [id]);
  expect(await endedRun(corridor.admin, id)).toMatchObject({ state: 'finished', treated: 1 });
});

test('a workflow in the place of a stuck one has time for its first turn before it is replaced too', async () => {
  const { where } = await ordersOf(1);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  await corridor.stopWorker();
  await expectStatus(200, startRun(corridor.admin, id));
  await corridor.db.query(
    't-stuck',
    `update bulk_run set started_at = now() - interval '3 minutes' where id = $1`,
    [id],
  );
  const replaced: boolean[] = [];
  const gateway = {
    startBulk: async (run: { id: number }, isStuck: boolean) => {
      if (run.id === id) replaced.push(isStuck);
    },
  };
  for (let round = 0; round < 3; round++) await startBulkRuns({ db: corridor.db, gateway });
  expect(replaced).toEqual([true, false, false]);
  await corridor.startWorker();
  await endedRun(corridor.admin, id);
});

test.each([
  ['is deactivated', (id: number) => corridor.admin('DELETE', `/api/admin/admins/${id}`)],
  ['has another role', (id: number) => corridor.admin('POST', `/api/admin/admins/${id}`, { role: 'viewer' })],
])('a run stops if its admin %s meanwhile', async (_what, change) => {
  const { ids, where } = await ordersOf(2);
  const { id: adminId, call } = await person('support');
  const { id } = await dryRun(call, 'cancel', where);
  await corridor.stopWorker();
  await expectStatus(200, startRun(call, id));
  await expectStatus(200, change(adminId));
  await corridor.startWorker();
  expect(await endedRun(corridor.admin, id)).toMatchObject({
    state: 'stopped',
    stopped_by: 'service',
    treated: 0,
  });
  await expectUntouched(ids);
});

test('an order that an LP has contested, or has evidence for, is not unfrozen with many others', async () => {
  const { ids, where } = await ordersOf(3);
  const [contested, evident, frozen] = ids as [number, number, number];
  for (const lost of [contested, evident]) {
    const loser = await corridor.newLp();
    await expectStatus(200, loser.claim(lost));
    await expectStatus(200, loser.expireNow(lost));
    await expectStatus(201, upload(loser, lost, fileOf(HEADS['image/png'], 500)));
    if (lost === contested) await expectStatus(200, loser.dispute(lost));
  }
  for (const id of [evident, frozen]) await expectStatus(200, corridor.adminDoes('freeze', id));
  const run = await bulk(corridor.admin, 'unfreeze', `${where} frozen=yes`);
  const untouched = [contested, evident].map((order_id) => ({
    ...{ order_id, outcome: 'refused', reason: 'not_frozen_by_admin' },
  }));
  expect(run.untouched).toEqual(untouched);
  expect((await corridor.rowOf(contested)).frozen).toBe(true);
  expect((await corridor.rowOf(evident)).frozen).toBe(true);
  expect((await corridor.rowOf(frozen)).frozen).toBe(false);
  for (const id of [contested, evident]) await expectStatus(200, corridor.adminDoes('unfreeze', id));
});

test('an order that was claimed since the dry run is not cancelled, frozen or extended', async () => {
  for (const [action, body] of [
    ['cancel', {}],
    ['freeze', {}],
    ['extend', { by: '1h' }],
  ] as const) {
    const { ids, where } = await ordersOf(1);
    const { id } = await dryRun(corridor.admin, action, `${where} status=matched`, body);
    await expectStatus(200, lp.claim(ids[0] as number));
    await startRun(corridor.admin, id);
    const run = await endedRun(corridor.admin, id);
    expect(run.outcomes).toEqual([{ outcome: 'moved', reason: null, orders: 1 }]);
    expect(await eventsOf(corridor, ids[0] as number)).toEqual({ pay: 1, claim: 1 });
  }
});
