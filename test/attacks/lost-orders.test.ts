import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  fiatSent,
  newLp,
  newOrder,
  newUnlimitedAgent,
  release,
  rowOf,
  type TestLp,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** An LP that has paid and missed its deadline: the next LP must not pay again without an admin's decision. */
let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newUnlimitedAgent(corridor);
});
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PNG = fileOf(HEADS['image/png'], 500);
const contest = (lp: TestLp, id: number) =>
  lp.call('POST', `/api/orders/${id}/dispute`, { reason: 'I paid before the deadline' });
const expire = (lp: TestLp, id: number) =>
  expectStatus(200, lp.call('POST', `/sandbox/orders/${id}/advance`, { status: 'claimed' }));
async function loseOrder() {
  const [lp, other] = [await newLp(corridor), await newLp(corridor)];
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  await expire(lp, id);
  return { lp, other, id };
}
const code = async (answer: ReturnType<typeof contest>) => {
  const { status, headers } = await answer;
  return [status, headers.get('x-error-code')];
};
const row = (id: number) => rowOf(corridor.admin, id);

test('the LP’s evidence stops the order, so that no other LP can claim it, until an admin decides', async () => {
  const { lp, other, id } = await loseOrder();
  const { receipt_key } = await expectStatus(201, upload(lp, id, PNG));
  expect(await row(id)).toMatchObject({ status: 'matched', receipt_url: null });
  const answers = await Promise.all(Array.from({ length: 8 }, () => contest(lp, id)));
  for (const { status, body } of answers) expect([status, body]).toEqual([200, { status: 'frozen' }]);
  expect(await row(id)).toMatchObject({
    frozen: true,
    status_reason: `I paid before the deadline (evidence: /api/receipts/${receipt_key})`,
  });
  expect((await claim(other, id)).status).toBe(409);
  expect((await corridor.admin('GET', `/api/receipts/${receipt_key}`)).status).toBe(200);

  // The admin has decided: the same LP cannot stop the order again.
  await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', id));
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
  expect((await upload(lp, id, PNG)).status).toBe(403);
  await expectStatus(200, claim(other, id));
});

test('the LP’s evidence also stops another LP that has claimed the order since', async () => {
  const { lp, other, id } = await loseOrder();
  await expectStatus(200, claim(other, id));
  await expectStatus(201, upload(lp, id, PNG));
  expect(await row(id)).toMatchObject({ lp_id: other.id, receipt_url: null });
  await expectStatus(200, contest(lp, id));
  expect((await fiatSent(other, id)).status).toBe(409);
  await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', id));
  await expectStatus(200, fiatSent(other, id));
  // The recipient has been paid by the other LP now.
  expect((await contest(lp, id)).status).toBe(403);
});

test('an LP cannot contest without evidence, after an hour, after a release, or an order of others', async () => {
  const { lp, other, id } = await loseOrder();
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
  expect(await code(contest(other, id))).toEqual([403, 'not_order_owner']);
  expect((await upload(other, id, PNG)).status).toBe(403);
  await expectStatus(201, upload(lp, id, PNG));
  await corridor.db.pool.query(
    `update lp_strike set created_at = created_at - interval '61 minutes' where order_id = $1`,
    [id],
  );
  expect(await code(contest(lp, id))).toEqual([403, 'not_order_owner']);
  expect((await upload(lp, id, PNG)).status).toBe(403);

  const [quitter, released] = [await newLp(corridor), await newOrder(agent)];
  await newLp(corridor);
  await expectStatus(200, claim(quitter, released));
  await expectStatus(200, release(quitter, released));
  expect((await upload(quitter, released, PNG)).status).toBe(403);
  expect(await code(contest(quitter, released))).toEqual([403, 'not_order_owner']);
  for (const still of [id, released]) expect(await row(still)).toMatchObject({ frozen: false });
});
