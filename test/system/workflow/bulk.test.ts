import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  confirmedOrder,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  rowOf,
  settle,
  type TestLp,
} from '../../support/actors.ts';
import { BULK, bulk, dryRun, endedRun, eventsOf, readRun, startRun } from '../../support/bulk.ts';
import { INSTALLATION_TIMEOUTS, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { type CrashingProcesses, createCrashingProcesses } from '../../support/crashing-processes.ts';
import { eventually } from '../../support/eventually.ts';
import { closeIncident, openIncident } from '../../support/incidents.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';

let corridor: TestCorridor;
let processes: CrashingProcesses;
let lp: TestLp;
beforeAll(async () => {
  corridor = await startCorridor({ timeouts: INSTALLATION_TIMEOUTS });
  processes = createCrashingProcesses(corridor, corridor.databaseUrl);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterEach(() => processes.end());
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

/** Orders of an agent of their own, so that `agent=` selects them. */
async function ordersOf(
  count: number,
  changes: object = {},
): Promise<{ agent: Agent; ids: number[]; where: string }> {
  const agent = await newAgent(corridor);
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await newOrder(agent, { ...changes }));
  return { agent, ids, where: `agent=${agent.keyId}` };
}
const statuses = async (ids: number[]) =>
  Promise.all(ids.map(async (id) => (await rowOf(corridor.admin, id)).status as string));

test('a dry run shows the orders and changes none', async () => {
  const { ids, where } = await ordersOf(3);
  await expectStatus(200, claim(lp, ids[2] as number));
  const run = await dryRun(corridor.admin, 'cancel', `${where} created<1h`);
  expect(run).toMatchObject({
    ...{ action: 'cancel', state: 'prepared', where: `${where} created<1h`, created_by: 'admin:root' },
    ...{ orders: 3, treated: 0, started_at: null, workflow_url: null, outcomes: [], untouched: [] },
    statuses: [
      { status: 'claimed', orders: 1 },
      { status: 'matched', orders: 2 },
    ],
    totals: [{ currency: 'KES', orders: 3, amount_fiat: 3_885, amount_usd: 30 }],
    sample: ids,
  });
  expect(await statuses(ids)).toEqual(['matched', 'matched', 'claimed']);
  const { bulk_runs } = await expectStatus(200, corridor.admin('GET', `${BULK}?limit=1`));
  expect(bulk_runs).toMatchObject([{ id: run.id, state: 'prepared', orders: 3, treated: 0 }]);
});

test('cancels each order once, on behalf of the admin, and reports what was refused', async () => {
  const { ids, where } = await ordersOf(7);
  const claimed = ids.pop() as number;
  await expectStatus(200, claim(lp, claimed));
  const run = await bulk(corridor.admin, 'cancel', where);
  expect(run).toMatchObject({
    ...{ state: 'finished', orders: 7, treated: 7, created_by: 'admin:root' },
    outcomes: [
      { outcome: 'applied', reason: null, orders: 6 },
      { outcome: 'refused', reason: 'wrong_state', orders: 1 },
    ],
    untouched: [{ order_id: claimed, outcome: 'refused', reason: 'wrong_state' }],
  });
  expect(new Set(await statuses(ids))).toEqual(new Set(['cancelled']));
  expect((await rowOf(corridor.admin, claimed)).status).toBe('claimed');
  for (const id of ids) {
    expect(await eventsOf(corridor, id)).toEqual({ pay: 1, cancel: 1 });
    expect(await lastTransition(corridor.admin, id)).toMatchObject({
      ...{ actor: 'admin', cause: 'cancel', reason: `The network is down (bulk run ${run.id})` },
    });
  }
});

test('the audit has the dry run, its start, and each order with the request that started it', async () => {
  const { ids, where } = await ordersOf(1);
  const { id } = await bulk(corridor.admin, 'cancel', where);
  const { events } = await expectStatus(200, corridor.admin('GET', `/api/admin/audit?object=bulk_run:${id}`));
  const [start, made] = events;
  expect([made.action, start.action]).toEqual([`POST ${BULK}`, `POST ${BULK}/:id/start`]);
  const ofOrder = await expectStatus(200, corridor.admin('GET', `/api/admin/audit?object=order:${ids[0]}`));
  expect(ofOrder.events[0]).toMatchObject({
    ...{ actor: 'admin:root', role: 'owner', request_id: start.request_id, action: start.action },
  });
});

test('extends, freezes and unfreezes', async () => {
  const { ids, where } = await ordersOf(2);
  const deadlines = async () =>
    Promise.all(ids.map(async (id) => Date.parse((await rowOf(corridor.admin, id)).timeout_at)));
  const before = await deadlines();
  await bulk(corridor.admin, 'extend', where, { by: '2h' });
  expect(await deadlines()).toEqual(before.map((at) => at + 7_200_000));
  const until = '2036-03-01T12:00:00.000Z';
  await bulk(corridor.admin, 'extend', where, { until });
  expect(await deadlines()).toEqual(before.map(() => Date.parse(until)));
  const again = await bulk(corridor.admin, 'extend', where, { until });
  expect(again.outcomes).toEqual([{ outcome: 'already', reason: null, orders: 2 }]);

  await bulk(corridor.admin, 'freeze', where);
  for (const id of ids) expect((await rowOf(corridor.admin, id)).frozen).toBe(true);
  const refused = await bulk(corridor.admin, 'extend', `${where} frozen=yes`, { by: '1h' });
  expect(refused.outcomes).toEqual([{ outcome: 'refused', reason: 'order_frozen', orders: 2 }]);
  await bulk(corridor.admin, 'unfreeze', `${where} frozen=yes`);
  for (const id of ids) {
    expect((await rowOf(corridor.admin, id)).frozen).toBe(false);
    expect(await eventsOf(corridor, id)).toEqual({ pay: 1, extend: 2, freeze: 1, unfreeze: 1 });
  }
});

test.each([
  ['shorter than the extension', 1],
  ['longer than the extension', 3],
])('extends by the whole time in an incident that is %s', async (_what, hours) => {
  const { ids, where } = await ordersOf(2);
  const incident = await openIncident(corridor.admin, { currency: 'KES' });
  await corridor.db.query(
    't-opened',
    `update incident set opened_at = now() - $1 * interval '1 hour' where id = $2`,
    [hours, incident],
  );
  // When the incident began, half an hour was left.
  const sql = `
    update orders set deadline_set_at = now() - ($1 + 1) * interval '1 hour', timeout_at = now() - ($1 - 0.5) * interval '1 hour'
    where id = any($2::bigint[])`;
  await corridor.db.query('t-left', sql, [hours, ids]);
  const run = await bulk(corridor.admin, 'extend', where, { by: '2h' });
  expect(run.outcomes).toEqual([{ outcome: 'applied', reason: null, orders: 2 }]);
  await expectStatus(200, closeIncident(corridor.admin, incident));
  for (const id of ids) {
    const left = Date.parse((await rowOf(corridor.admin, id)).timeout_at) - Date.now();
    expect(Math.abs(left - 2.5 * 3_600_000)).toBeLessThan(60_000);
  }
});

test('verifies transactions again', async () => {
  const agent = await newAgent(corridor);
  const id = await confirmedOrder(agent, lp);
  await expectStatus(200, settle(agent, id, 'sandbox-pending-bulk'));
  const run = await bulk(
    corridor.admin,
    'retry-verification',
    `agent=${agent.keyId} status=crypto_verify_pending`,
  );
  expect(run.outcomes).toEqual([{ outcome: 'applied', reason: null, orders: 1 }]);
  expect(await eventsOf(corridor, id)).toMatchObject({ retryVerification: 1 });
});

test('an order that has moved since the dry run is left alone', async () => {
  const { ids, where } = await ordersOf(2);
  const run = await dryRun(corridor.admin, 'extend', where, { by: '1h' });
  await expectStatus(200, adminDoes(corridor.admin, 'freeze', ids[0] as number));
  await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', ids[0] as number));
  await startRun(corridor.admin, run.id);
  expect(await endedRun(corridor.admin, run.id)).toMatchObject({
    untouched: [{ order_id: ids[0], outcome: 'moved', reason: null }],
  });
  expect(await eventsOf(corridor, ids[0] as number)).toEqual({ pay: 1, freeze: 1, unfreeze: 1 });
  expect(await eventsOf(corridor, ids[1] as number)).toEqual({ pay: 1, extend: 1 });
});

test('a stopped run treats no further order, and cannot be started again', async () => {
  const { ids, where } = await ordersOf(2);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  await corridor.stopWorker();
  await expectStatus(200, startRun(corridor.admin, id));
  expect(await expectStatus(200, corridor.admin('POST', `${BULK}/${id}/stop`))).toMatchObject({
    state: 'stopping',
  });
  await corridor.startWorker();
  expect(await endedRun(corridor.admin, id)).toMatchObject({
    state: 'stopped',
    treated: 0,
    stopped_by: 'admin:root',
  });
  expect(await statuses(ids)).toEqual(['matched', 'matched']);
  expect((await startRun(corridor.admin, id)).status).toBe(409);
});

test.each(['command.signalled', 'command.recorded'] as const)(
  'a worker that dies at %s treats each order once, and another one finishes the run',
  async (point) => {
    const { ids, where } = await ordersOf(8);
    const { id } = await dryRun(corridor.admin, 'extend', where, { by: '1h' });
    await corridor.stopWorker();
    await expectStatus(200, startRun(corridor.admin, id));
    const { died } = await processes.start('worker', point);
    await died();
    await corridor.startWorker();
    const run = await endedRun(corridor.admin, id);
    expect(run.outcomes).toEqual([{ outcome: 'applied', reason: null, orders: 8 }]);
    for (const order of ids) expect(await eventsOf(corridor, order)).toEqual({ pay: 1, extend: 1 });
  },
);

test('a run whose workflow was ended or never started goes on', async () => {
  const { ids, where } = await ordersOf(1);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  // As if the API had died before it started the workflow.
  await corridor.db.query('test-start', 'update bulk_run set started_at = now() where id = $1', [id]);
  await endedRun(corridor.admin, id);
  expect(await statuses(ids)).toEqual(['cancelled']);
});

test('a dry run that nobody starts is deleted after a day', async () => {
  const { where } = await ordersOf(1);
  const { id } = await dryRun(corridor.admin, 'cancel', where);
  const age = `update bulk_run set expires_at = now() - interval '25 hours' where id = $1`;
  await corridor.db.query('test-age', age, [id]);
  await eventually(async () => (await corridor.admin('GET', `${BULK}/${id}`)).status === 404);
});

test('refuses filters that select nothing real, with what may be meant', async () => {
  const faultOf = async (where: string, body: object = {}) => {
    const request = { action: 'cancel', where, reason: 'The network is down', ...body };
    const { status, body: answer } = await corridor.admin('POST', BULK, request);
    return [status, JSON.stringify(answer.error?.fieldErrors)];
  };
  expect(await faultOf('satus=matched')).toEqual([400, expect.stringContaining('did you mean status?')]);
  expect(await faultOf('currency=KEZ')).toEqual([400, expect.stringContaining('did you mean KES')]);
  expect(await faultOf(' ')).toEqual([400, expect.stringContaining('where')]);
  expect(await faultOf('status=matched', { action: 'extend' })).toEqual([
    400,
    expect.stringContaining('either by or until'),
  ]);
  expect(await faultOf('status=matched', { by: '1h' })).toEqual([
    400,
    expect.stringContaining('only for extend'),
  ]);
  expect(await faultOf('status=matched', { action: 'extend', by: '0s' })).toEqual([
    400,
    expect.stringContaining('duration'),
  ]);
  expect(await faultOf('status=matched', { action: 'extend', until: '2020-01-01' })).toEqual([
    400,
    expect.stringContaining('in the future'),
  ]);
  expect(
    await readRun(corridor.admin, (await dryRun(corridor.admin, 'cancel', 'agent=999999')).id),
  ).toMatchObject({ orders: 0 });
});
