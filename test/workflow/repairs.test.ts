import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { connectFeed } from '../support/feed-client.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

/** Puts the payment on the simulated chain after the agent named it. */
const arrives = ({ db }: TestCorridor, orderId: number, hash: string) =>
  db.query(
    'test-arrives',
    `insert into sandbox_transaction (chain, tx_hash, symbol, "to", amount, final_at)
     select 'trx', $1, 'usdt', lp_receive_address, amount_crypto, now() from orders where id = $2`,
    [hash, orderId],
  );
const does = (verb: string, id: number, body: object = {}) => corridor.adminDoes(verb, id, body);
const reason = 'The operator looked into it';

test('an admin cancels an open order only', async () => {
  const id = await agent.newOrder();
  expect(await does('cancel', id)).toMatchObject({
    status: 200,
    body: { id, status: 'cancelled', status_reason: reason },
  });
  expect(await corridor.lastTransition(id)).toMatchObject({ actor: 'admin', cause: 'cancel', reason });
  const claimed = await agent.newOrder();
  await expectStatus(200, lp.claim(claimed));
  expect((await does('cancel', claimed)).status).toBe(409);
});

describe('every repair', () => {
  test.each(['cancel', 'extend', 'freeze', 'unfreeze', 'retry-verification'])(
    '(%s) needs a reason and an order',
    async (verb) => {
      const id = await agent.newOrder();
      const before = await corridor.rowOf(id);
      const until = '2036-01-01';
      expect((await does(verb, id, { until, reason: ' ' })).status).toBe(400);
      expect((await does(verb, 999_999, { until })).status).toBe(404);
      expect(await corridor.rowOf(id)).toEqual(before);
    },
  );
});

describe('a deadline', () => {
  test('is extended once for one or two equal requests, and the agent gets no webhook', async () => {
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    for (let i = 0; i < 2; i++)
      expect(await does('extend', id, { until })).toMatchObject({
        status: 200,
        body: { status: 'matched', timeout_at: until, version: 2, status_reason: reason },
      });
    expect((await agent.call('GET', `/api/v1/webhook-deliveries?order_id=${id}`)).body.deliveries).toEqual(
      [],
    );
    expect((await lp.claim(id)).status).toBe(200);
  });

  test('is not moved back or into the past, or set in a status without a deadline', async () => {
    const id = await agent.newOrder();
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect((await does('extend', id, { until: soon })).status).toBe(409);
    expect((await does('extend', id, { until: '2020-01-01' })).status).toBe(400);
    expect((await does('extend', id, { until: 'tomorrow' })).status).toBe(400);
    await expectStatus(200, does('cancel', id));
    expect((await does('extend', id, { until: '2036-01-01' })).status).toBe(409);
  });
});

describe('a frozen order', () => {
  test('accepts no command, is offered to no LP and has no deadline until it is unfrozen', async () => {
    const id = await agent.newOrder();
    const before = await corridor.rowOf(id);
    const feed = await connectFeed(corridor.config.publicUrl, { key: lp.key });
    await feed.next('snapshot');
    for (let i = 0; i < 2; i++)
      expect(await does('freeze', id)).toMatchObject({
        status: 200,
        body: { status: 'matched', frozen: true, timeout_at: null, version: 2 },
      });
    await feed.next('order.closed', (m) => m.id === id && m.reason === 'frozen');
    expect((await lp.claim(id)).status).toBe(409);
    expect(await does('cancel', id)).toMatchObject({
      status: 409,
      body: { error: 'This order is frozen: only an admin can let it continue' },
    });
    expect((await does('extend', id, { until: '2036-01-01' })).status).toBe(409);
    const { open_orders } = (await lp.call('GET', `/api/lp/${lp.key}/dashboard`)).body;
    const { orders } = (await lp.call('GET', `/api/lp/${lp.key}/orders/stream`)).body;
    expect([...open_orders, ...orders].filter((order) => order.id === id)).toEqual([]);
    expect((await agent.call('GET', `/api/v1/orders/${id}/timeline`)).body.next).toEqual({
      waiting_for: 'admin',
      due_at: null,
      stopped: null,
    });
    const thawed = await does('unfreeze', id);
    expect(thawed).toMatchObject({ status: 200, body: { frozen: false, version: 3 } });
    expect(Date.parse(thawed.body.timeout_at)).toBeGreaterThanOrEqual(Date.parse(before.timeout_at));
    await feed.next('order.open', (m) => m.order.id === id);
    await feed.close();
    expect((await lp.claim(id)).status).toBe(200);
  });

  test('refuses its LP’s steps until it is unfrozen', async () => {
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, does('freeze', id));
    expect((await lp.fiatSent(id)).status).toBe(409);
    expect((await lp.release(id)).status).toBe(409);
    await expectStatus(200, does('unfreeze', id));
    expect((await lp.fiatSent(id)).status).toBe(200);
  });

  test('is not verified', async () => {
    const id = await agent.confirmedOrder(lp);
    const hash = 'ab'.repeat(32);
    await expectStatus(200, agent.settle(id, hash));
    await expectStatus(200, does('freeze', id));
    await arrives(corridor, id, hash);
    expect((await does('retry-verification', id)).status).toBe(409);
    expect(await agent.statusOf(id)).toBe('crypto_verify_pending');
    await expectStatus(200, does('unfreeze', id));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  });

  test('cannot be one that has ended or is disputed', async () => {
    const id = await agent.newOrder();
    await expectStatus(200, does('cancel', id));
    for (const verb of ['freeze', 'unfreeze']) expect((await does(verb, id)).status).toBe(409);
  });
});

describe('a verification', () => {
  test('that missed its deadline is retried, and completes the order', async () => {
    const apart = await startCorridor();
    try {
      const [apartAgent, apartLp] = [await apart.newAgent(), await apart.newLp()];
      const id = await apartAgent.confirmedOrder(apartLp);
      const hash = 'cd'.repeat(32);
      await expectStatus(200, apartAgent.settle(id, hash));
      await passDeadline(apart, id);
      await eventuallyEquals(() => apartAgent.statusOf(id), 'disputed');
      expect((await apart.rowOf(id)).status_reason).toBe(
        'The transaction was not final on its chain in time: No such transaction yet',
      );
      await arrives(apart, id, hash);
      await expectStatus(200, apart.adminDoes('retry-verification', id));
      await eventuallyEquals(() => apartAgent.statusOf(id), 'completed');
    } finally {
      await apart.stop();
    }
  });

  test('is retried immediately on request, but only for an order with a transaction', async () => {
    const id = await agent.confirmedOrder(lp);
    expect((await does('retry-verification', id)).status).toBe(409);
    const hash = 'ef'.repeat(32);
    await expectStatus(200, agent.settle(id, hash));
    const { timeout_at } = await corridor.rowOf(id);
    expect((await does('retry-verification', id)).body).toMatchObject({
      status: 'crypto_verify_pending',
      timeout_at,
    });
    await arrives(corridor, id, hash);
    const { status } = await does('retry-verification', id);
    // On a busy machine the next regular check may have found it first.
    if (status !== 200) expect([status, await agent.statusOf(id)]).toEqual([409, 'completed']);
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  });

  test('uses the transaction that an admin names instead of a mistyped one, which is free again', async () => {
    const [id, other] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(lp)];
    const [mistyped, right] = ['12'.repeat(32), '34'.repeat(32)];
    await expectStatus(200, agent.settle(id, mistyped));
    await arrives(corridor, id, right);
    expect((await does('retry-verification', id, { tx_hash: '' })).status).toBe(400);
    await expectStatus(200, does('retry-verification', id, { tx_hash: `0x${right}` }));
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
    expect((await corridor.rowOf(id)).user_crypto_tx_hash).toBe(`0x${right}`);
    await expectStatus(200, agent.settle(other, right));
    await eventuallyEquals(() => agent.statusOf(other), 'confirmed');
    expect((await corridor.rowOf(other)).status_reason).toMatch(/not exactly/);
    await arrives(corridor, other, mistyped);
    await expectStatus(200, agent.settle(other, mistyped));
    await eventuallyEquals(() => agent.statusOf(other), 'completed');
  });

  test('of a dispute without a transaction is refused', async () => {
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, agent.dispute(id));
    expect(await does('retry-verification', id)).toMatchObject({
      status: 409,
      body: { error: 'The order has no transaction to verify' },
    });
  });

  test('of a third invalid transaction ends in a dispute again if the transaction has paid another order', async () => {
    const id = await agent.confirmedOrder(lp);
    const smaller = await agent.confirmedOrder(lp, { amount: 129.5 });
    let hash = '';
    for (let i = 0; i < 3; i++) {
      hash = await corridor.payment(agent, smaller);
      await expectStatus(200, agent.settle(id, hash));
      await eventuallyEquals(() => agent.statusOf(id), i < 2 ? 'confirmed' : 'disputed');
    }
    await expectStatus(200, agent.settle(smaller, hash));
    await eventuallyEquals(() => agent.statusOf(smaller), 'completed');
    await expectStatus(200, does('retry-verification', id));
    await eventually(async () => (await corridor.rowOf(id)).version === 12);
    expect(await corridor.rowOf(id)).toMatchObject({ status: 'disputed', version: 12 });
  });
});
