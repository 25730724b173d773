import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Call } from '../../../dev/http-client.ts';
import { claim, collateralOf, deposit, pay } from '../../support/actors.ts';
import { ADMIN_KEY } from '../../support/corridor.ts';
import { type CrashTest, openCrashTest } from '../../support/crash-test.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { claim as claimAgain, newOrder } from '../../support/repeated-steps.ts';
import { expectSound, expectSoundWhenStill } from '../../support/soundness.ts';

/** Kills an API at each point where a crash could do harm. Another API on the same servers handles the retry. */
let site: CrashTest;

beforeAll(async () => {
  site = await openCrashTest();
});
afterEach(async () => {
  await site.crashing.end();
  await expectSound(site.corridor);
});
afterAll(() => site.close());

test.each(['pay.committed', 'pay.started'] as const)(
  'an API that dies at %s has created the order, and a retry returns it',
  async (point) => {
    const { agent, lp, crashing, causesOf } = site;
    const key = { 'idempotency-key': point };
    await crashing.duringCall(point, (as) => pay({ ...agent, call: as(agent.key) }, {}, key));

    const [again, once] = [await pay(agent, {}, key), await pay(agent, {}, key)];
    expect(again).toMatchObject({ status: 200, body: { idempotent_replay: true, status: 'matched' } });
    expect(once.body.order_id).toBe(again.body.order_id);
    // Either the API has started the workflow, or the reconciler starts it.
    await eventuallyEquals(async () => (await claim(lp, again.body.order_id)).status, 200);
    expect(await causesOf(again.body.order_id)).toEqual(['pay', 'claim']);
  },
);

test.each(['command.signalled', 'command.recorded'] as const)(
  'an API that dies at %s of a claim has claimed the order, and a retry returns 200',
  async (point) => {
    const { agent, lp, crashing, causesOf, lockedBy } = site;
    const id = await newOrder(agent);
    const before = await lockedBy(lp);
    await crashing.duringCall(point, (as) => claim({ ...lp, call: as(lp.key) }, id));

    const retried = await claimAgain(lp, id);
    expect(retried).toMatchObject({
      status: 200,
      body: { status: 'claimed', lp_receive_address: lp.address },
    });
    expect(await lockedBy(lp)).toBeCloseTo(before + retried.body.collateral_locked, 2);
    expect(await causesOf(id)).toEqual(['pay', 'claim']);
  },
);

test('a redelivery during which the API dies is still sent', async () => {
  const { corridor, agent, lp, crashing } = site;
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  await claim(lp, id);
  const receivedCount = () => corridor.receiver.received.filter(({ body }) => body.order_id === id).length;
  const list = async () =>
    (await agent.call('GET', `/api/v1/webhook-deliveries?order_id=${id}`)).body.deliveries;
  await eventually(async () => (await list())[0].state === 'delivered');
  const [delivery] = await list();
  const path = `/api/v1/webhook-deliveries/${delivery.id}/redeliver`;
  await crashing.duringCall('redelivery.reopened', (as) => as(agent.key)('POST', path, {}));

  // The workflow gets no signal, and no other event causes the webhook.
  await eventuallyEquals(async () => receivedCount() >= 2 && (await list())[0].state, 'delivered');
});

test('an API that dies during a withdrawal has reserved it once, and a retry returns it', async () => {
  const { corridor, lp, crashing } = site;
  const before = await collateralOf(corridor, lp);
  const path = `/api/lp/${lp.key}/collateral/withdraw`;
  const withdraw = (call: Call) =>
    call('POST', path, { amount: 50, address: 'T1' }, { 'idempotency-key': 'w' });
  await crashing.duringCall('withdrawal.committed', (as) => withdraw(as(lp.key)));

  const retried = await withdraw(lp.call);
  expect(retried).toMatchObject({ status: 200, body: { amount: 50, status: 'requested' } });
  expect((await collateralOf(corridor, lp)).available).toBe(before.available - 50);

  const decide = (call: Call) => call('POST', `/api/admin/withdrawals/${retried.body.id}/paid`, {});
  await crashing.duringCall('withdrawal.decided', (as) => decide(as(ADMIN_KEY)));
  expect(await decide(corridor.admin)).toMatchObject({ status: 200, body: { status: 'paid' } });
  expect((await collateralOf(corridor, lp)).available).toBe(before.available - 50);
});

test('an API that dies during a deposit has credited it once', async () => {
  const { corridor, lp, crashing } = site;
  const before = await collateralOf(corridor, lp);
  await crashing.duringCall('deposit.committed', (as) => deposit({ ...lp, call: as(lp.key) }, 70));

  const made = await corridor.db.query<{ id: number }>(
    'crash-deposit',
    'select max(id) as id from collateral_deposit where lp_id = $1',
    [lp.id],
  );
  const again = await lp.call('POST', `/api/lp/${lp.key}/collateral/${made[0]?.id}/confirm`, {});
  expect(again.status).toBe(200);
  expect((await collateralOf(corridor, lp)).available).toBeCloseTo(before.available + 70, 1);
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(site.corridor));
