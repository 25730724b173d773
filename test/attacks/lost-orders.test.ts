import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** An LP that has paid and missed its deadline: the next LP must not pay again without an admin's decision. */
const corridor = await startCorridor({ env: { DISPUTE_SLA: '1h' } });
const agent = await corridor.newUnlimitedAgent();
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PNG = fileOf(HEADS['image/png'], 500);
const contest = (lp: TestLp, id: number) => lp.dispute(id, 'I paid before the deadline');
const expire = (lp: TestLp, id: number) => expectStatus(200, lp.expireNow(id));
async function loseOrder() {
  const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  await expire(lp, id);
  return { lp, other, id };
}
const code = async (answer: ReturnType<typeof contest>) => {
  const { status, headers } = await answer;
  return [status, headers.get('x-error-code')];
};

test('the LP’s evidence stops the order, so that no other LP can claim it, until an admin decides', async () => {
  const { lp, other, id } = await loseOrder();
  const { receipt_key } = await expectStatus(201, upload(lp, id, PNG));
  expect(await corridor.rowOf(id)).toMatchObject({ status: 'matched', receipt_url: null });
  const answers = await Promise.all(Array.from({ length: 8 }, () => contest(lp, id)));
  for (const { status, body } of answers) expect([status, body]).toEqual([200, { status: 'frozen' }]);
  expect(await corridor.rowOf(id)).toMatchObject({
    frozen: true,
    status_reason: `I paid before the deadline (evidence: /api/receipts/${receipt_key})`,
  });
  expect((await other.claim(id)).status).toBe(409);
  expect((await corridor.admin('GET', `/api/receipts/${receipt_key}`)).status).toBe(200);

  // The admin has decided: the same LP cannot stop the order again.
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
  expect((await upload(lp, id, PNG)).status).toBe(403);
  await expectStatus(200, other.claim(id));
});

test('the LP’s evidence also stops another LP that has claimed the order since', async () => {
  const { lp, other, id } = await loseOrder();
  await expectStatus(200, other.claim(id));
  await expectStatus(201, upload(lp, id, PNG));
  expect(await corridor.rowOf(id)).toMatchObject({ lp_id: other.id, receipt_url: null });
  await expectStatus(200, contest(lp, id));
  expect((await other.fiatSent(id)).status).toBe(409);
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  await expectStatus(200, other.fiatSent(id));
  // The recipient has been paid by the other LP now.
  expect((await contest(lp, id)).status).toBe(403);
});

/** An order that an LP has frozen with a picture of anything. */
async function contested() {
  const order = await loseOrder();
  await expectStatus(201, upload(order.lp, order.id, PNG));
  await expectStatus(200, contest(order.lp, order.id));
  return order;
}
const strikesOf = async (lp: TestLp) =>
  (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`))).lp.strikes;

test('a contested order waits in the lists of the admins, and the alert fires when nobody decides in time', async () => {
  const { lp, id } = await contested();
  const waiting = async () => {
    const { orders } = await expectStatus(
      200,
      corridor.admin('GET', '/api/admin/orders?waits_for_admin=true'),
    );
    return orders.map((order: { id: number; contested_by: number }) => [order.id, order.contested_by]);
  };
  expect(await waiting()).toEqual([[id, lp.id]]);
  const overview = await expectStatus(200, corridor.admin('GET', '/api/admin/overview'));
  expect(overview.waiting_for_admin).toMatchObject({ disputes: 0, frozen_orders: 1 });
  const overdue = async () => {
    const { body } = await corridor.admin('GET', '/metrics');
    return Number(/^corridor_dispute_overdue_seconds (.+)$/m.exec(body)?.[1]);
  };
  expect(await overdue()).toBe(0);
  await editEvents(
    corridor.db.pool,
    `update order_event set created_at = created_at - interval '3 hours' where order_id = $1`,
    [id],
  );
  await eventually(async () => (await overdue()) >= 7_200);
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  expect(await waiting()).toEqual([]);
  await eventuallyEquals(overdue, 0);
});

test('false evidence costs the LP a strike, once, and only where an LP has contested', async () => {
  const { lp, other, id } = await contested();
  expect(await strikesOf(lp)).toBe(1);
  const reject = () => corridor.adminDoes('unfreeze', id, { false_evidence: true });
  for (let i = 0; i < 3; i++) await expectStatus(200, reject());
  expect(await strikesOf(lp)).toBe(2);
  expect((await contest(lp, id)).status).toBe(403);
  await expectStatus(200, other.claim(id));

  // An admin froze this one: there is no evidence, and nobody to strike.
  await expectStatus(200, corridor.adminDoes('freeze', id));
  const { status, headers } = await corridor.admin('POST', `/api/admin/orders/${id}/unfreeze`, {
    reason: 'No evidence here',
    false_evidence: true,
  });
  expect([status, headers.get('x-error-code')]).toEqual([409, 'not_contested']);
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  expect([await strikesOf(lp), await strikesOf(other)]).toEqual([2, 0]);
});

test('two admins who decide together about the same evidence: a 200 to the one who finds it false is a strike', async () => {
  for (let n = 0; n < 4; n++) {
    const { lp, id } = await contested();
    const [found, plain] = await Promise.all([
      corridor.adminDoes('unfreeze', id, { false_evidence: true }),
      corridor.adminDoes('unfreeze', id),
    ]);
    expect(plain.status).toBe(200);
    expect([found.status, await strikesOf(lp)]).toEqual(found.status === 200 ? [200, 2] : [409, 1]);
  }
});

test('a contest of an order that is frozen already is refused, and its hour begins again afterwards', async () => {
  const { lp, other, id } = await loseOrder();
  await expectStatus(200, corridor.adminDoes('freeze', id));
  await expectStatus(201, upload(lp, id, PNG));
  expect(await code(contest(lp, id))).toEqual([409, 'order_frozen']);
  // The admin needs longer than an hour.
  await corridor.db.pool.query(
    `update lp_strike set created_at = created_at - interval '61 minutes' where order_id = $1`,
    [id],
  );
  expect(await code(contest(lp, id))).toEqual([409, 'order_frozen']);
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  await expectStatus(200, other.claim(id));
  await expectStatus(200, contest(lp, id));
  expect(await corridor.rowOf(id)).toMatchObject({ frozen: true, contested_by: lp.id });
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
});

test('a contest that arrives together with an admin’s freeze is recorded or refused', async () => {
  const losses = await Promise.all(Array.from({ length: 6 }, loseOrder));
  losses.sort((one, other) => one.id - other.id);
  await Promise.all(losses.map(({ lp, id }) => expectStatus(201, upload(lp, id, PNG))));
  const answers = await Promise.all(
    losses.map(async ({ lp, id }) => {
      const freezing = corridor.adminDoes('freeze', id);
      const [answer] = await Promise.all([code(contest(lp, id)), expectStatus(200, freezing)]);
      return answer;
    }),
  );
  const events = await corridor.db.query<{ actor: string }>(
    't-freezes',
    `select actor from order_event where order_id = any ($1::bigint[]) and cause = 'freeze' order by order_id`,
    [losses.map(({ id }) => id)],
  );
  expect(answers).toEqual(
    events.map(({ actor }) => (actor.startsWith('lp:') ? [200, null] : [409, 'order_frozen'])),
  );
});

test('an order whose recipient has been paid ends as the runbook says, before another LP can claim it', async () => {
  const { other, id } = await contested();
  const scope = { agent_key_id: agent.keyId, reason: 'One recipient has been paid' };
  const pause = await expectStatus(201, corridor.admin('POST', '/api/admin/pauses', scope));
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  expect((await other.claim(id)).status).toBe(503);
  await expectStatus(200, corridor.adminDoes('cancel', id));
  await expectStatus(200, corridor.admin('DELETE', `/api/admin/pauses/${pause.id}`));
  expect(await corridor.rowOf(id)).toMatchObject({ status: 'cancelled' });
});

test('an LP cannot contest without evidence, after an hour, after a release, or an order of others', async () => {
  const { lp, other, id } = await loseOrder();
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
  expect((await contest(lp, id)).body.error).toMatch(/upload the receipt first$/);
  expect(await code(contest(other, id))).toEqual([403, 'not_order_owner']);
  expect((await upload(other, id, PNG)).status).toBe(403);
  await expectStatus(201, upload(lp, id, PNG));
  await corridor.db.pool.query(
    `update lp_strike set created_at = created_at - interval '61 minutes' where order_id = $1`,
    [id],
  );
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
  expect((await upload(lp, id, PNG)).status).toBe(403);

  const [quitter, released] = [await corridor.newLp(), await agent.newOrder()];
  await corridor.newLp();
  await expectStatus(200, quitter.claim(released));
  await expectStatus(200, quitter.release(released));
  expect((await upload(quitter, released, PNG)).status).toBe(403);
  expect(await code(contest(quitter, released))).toEqual([403, 'not_order_owner']);
  for (const still of [id, released]) expect(await corridor.rowOf(still)).toMatchObject({ frozen: false });
});

test('an order that ended with its only LP’s deadline stays ended, and the LP reads so', async () => {
  const currency = 'XLO';
  const lp = await corridor.newLp({ currency, rate: 100 });
  const id = await agent.newOrder({ currency, amount: 1_000 });
  await expectStatus(200, lp.claim(id));
  await corridor.db.pool.query(`update orders set expires_at = now() - interval '1 minute' where id = $1`, [
    id,
  ]);
  await expire(lp, id);
  expect(await corridor.rowOf(id)).toMatchObject({ status: 'cancelled' });
  const { receipt_url } = await expectStatus(201, upload(lp, id, PNG));
  expect(await contest(lp, id)).toMatchObject({
    status: 409,
    body: {
      error:
        'You have lost this order, and it is cancelled, so no dispute can change it. Send the operator the order’s id and your evidence',
    },
  });
  expect(await corridor.rowOf(id)).toMatchObject({ status: 'cancelled', frozen: false });
  // The operator finds the evidence with the order.
  const { evidence } = await expectStatus(200, corridor.admin('GET', `/api/admin/orders/${id}`));
  expect(evidence).toEqual([
    { lp_id: lp.id, lp_name: expect.any(String), receipt_url, at: expect.any(String) },
  ]);
});
