import { expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** `POST /sandbox/orders/:orderId/advance` expires an order's deadline now. */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

const expireNow = (call: Call, id: number, body?: object) =>
  call('POST', `/sandbox/orders/${id}/advance`, body);
const transitionsOf = async (id: number) =>
  (await expectStatus(200, agent.call('GET', `/api/v1/orders/${id}/timeline`))).transitions;

test('reports the deadline that expired, and the order handles it like any deadline', async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  const { timeout_at } = await corridor.rowOf(id);
  const began = new Date().toISOString();
  const reason = 'No LP claimed the order in time';
  const expired = await expectStatus(200, expireNow(agent.call, id));
  expect(expired).toEqual({
    ...{ order_id: id, deadline: 'claim', was_due_at: timeout_at, fired_at: expect.any(String) },
    ...{ status: 'cancelled', reason },
  });
  expect(expired.fired_at < timeout_at && expired.fired_at >= began.slice(0, 16)).toBe(true);
  const { body } = await corridor.receiver.next((w) => w.body.order_id === id);
  expect(body.status).toBe('cancelled');
  expect(await transitionsOf(id)).toMatchObject([
    { status: 'matched', cause: 'pay' },
    {
      ...{ status: 'matched', actor: 'agent', cause: 'expireNow' },
      reason: 'A party expired the deadline in the sandbox',
    },
    { status: 'cancelled', actor: 'service', cause: 'deadline', reason },
  ]);
});

test('expires the deadline of the order’s current stage', async () => {
  const seen: unknown[] = [];
  const steps = [
    () => lp.claim(id),
    () => lp.fiatSent(id),
    () => agent.confirm(id),
    () => agent.settle(id, `abcd${id}`),
  ];
  let id = 0;
  for (const length of [1, 2, 3, 4]) {
    id = await agent.newOrder();
    for (const step of steps.slice(0, length)) await expectStatus(200, step());
    const { deadline, status, reason } = await expectStatus(200, expireNow(corridor.admin, id, {}));
    seen.push([deadline, status, reason]);
  }
  expect(seen).toEqual([
    ['fiat', 'matched', 'The LP did not send the fiat in time'],
    ['confirm', 'disputed', 'The agent did not confirm the fiat in time'],
    ['settle', 'disputed', 'The agent did not settle in time'],
    ['verify', 'disputed', 'The transaction was not final on its chain in time: No such transaction yet'],
  ]);
});

test('a payment that is on the chain by the last check counts', async () => {
  const id = await agent.newOrder();
  for (const step of [() => lp.claim(id), () => lp.fiatSent(id), () => agent.confirm(id)])
    await expectStatus(200, step());
  const unseen = 'ab'.repeat(32);
  await expectStatus(200, agent.settle(id, unseen));
  const paid = await corridor.payment(agent, id);
  // The payment appears late: only the last check sees it, unless an earlier check already completed the order.
  await corridor.db.query('test-renamed', 'update sandbox_transaction set tx_hash = $1 where tx_hash = $2', [
    unseen,
    paid,
  ]);
  const answer = await expireNow(agent.call, id);
  if (answer.status === 200) expect(answer.body).toMatchObject({ deadline: 'verify', status: 'completed' });
  else expect([answer.status, (await corridor.rowOf(id)).status]).toEqual([409, 'completed']);
});

test('the order’s parties may expire its deadline, and for all others the order does not exist', async () => {
  const strangers = [await corridor.newAgent(), await corridor.newLp()];
  const id = await agent.newOrder();
  const before = await corridor.rowOf(id);
  // The quoted LP is not a party either.
  for (const call of [corridor.anyone, corridor.as('nonsense'), lp.call, ...strangers.map((s) => s.call)])
    expect((await expireNow(call, id)).status).toBe(404);
  expect((await expireNow(corridor.admin, 999_999)).status).toBe(404);
  expect(await corridor.rowOf(id)).toEqual(before);
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, lp.fiatSent(id));
  expect((await expectStatus(200, expireNow(lp.call, id))).deadline).toBe('confirm');
  expect((await transitionsOf(id)).at(-2)).toMatchObject({ actor: 'lp', lp_id: lp.id, cause: 'expireNow' });
});

test('refuses an order in another status than the one named, and an order without a deadline', async () => {
  const id = await agent.newOrder();
  const before = await corridor.rowOf(id);
  expect(await expireNow(agent.call, id, { status: 'claimed' })).toMatchObject({
    status: 409,
    body: { error: 'The order is matched, not claimed' },
  });
  expect((await expireNow(agent.call, id, { status: 'lost' })).status).toBe(400);
  expect(await corridor.rowOf(id)).toEqual(before);
  await expectStatus(200, corridor.adminDoes('freeze', id));
  expect(await expireNow(agent.call, id)).toMatchObject({
    status: 409,
    body: { error: 'This order is frozen: only an admin can let it continue' },
  });
  await expectStatus(200, corridor.adminDoes('unfreeze', id));
  expect((await expectStatus(200, expireNow(agent.call, id, { status: 'matched' }))).status).toBe(
    'cancelled',
  );
  expect((await expireNow(agent.call, id)).status).toBe(409);
});

test('does not exist without a sandbox', async () => {
  const real = await startCorridor({
    env: { SANDBOX: 'false', CHAIN_TRX_RPC_URL: 'http://127.0.0.1:9' },
    worker: false,
  });
  try {
    const refused = await real.admin('POST', '/sandbox/orders/1/advance', {});
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([404, 'not_found']);
    const { paths } = await expectStatus(200, real.anyone('GET', '/openapi.json'));
    expect(Object.keys(paths).filter((path) => path.startsWith('/sandbox/'))).toEqual([]);
  } finally {
    await real.stop();
  }
});
