import { describe, expect, test } from '@jest/globals';
import { fiatSent } from '../support/actors.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

const transfers = async (orderId: number) => {
  const sql = 'select debit, credit, amount::float from ledger_transfer where order_id = $1 order by key';
  return corridor.db.query('transfers', sql, [orderId]);
};

describe('a claim', () => {
  test('locks the collateral and returns the address for the crypto', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const id = await agent.newOrder({ amount: 1_295.01 });
    expect(await lp.claim(id)).toMatchObject({
      status: 200,
      // 1295.01 / 129.5 is slightly more than 10 USD, so it is rounded up to the next cent.
      body: { status: 'claimed', lp_receive_address: lp.address, collateral_locked: 10.01 },
    });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 89.99, locked: 10.01 });
    expect(await transfers(id)).toEqual([
      { debit: `lp:${lp.id}:available`, credit: `lp:${lp.id}:locked`, amount: 10.01 },
    ]);
  });

  test('by twenty LPs at once has one winner', async () => {
    const lps = await Promise.all(Array.from({ length: 20 }, () => corridor.newLp({ collateral: 10 })));
    const id = await agent.newOrder();
    const answers = await Promise.all(lps.map((lp) => lp.claim(id)));
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([1, 19]);
    for (const { body } of lost) expect(body).toEqual({ error: 'Order not claimable' });
    const locked = await Promise.all(lps.map((lp) => corridor.collateralOf(lp)));
    expect(locked.filter((b) => b.locked === 10)).toHaveLength(1);
    expect(locked.filter((b) => b.available === 10)).toHaveLength(19);
  });

  test('of ten orders with collateral for three locks three, and never more', async () => {
    const lp = await corridor.newLp({ collateral: 35 });
    const ids = await Promise.all(Array.from({ length: 10 }, () => agent.newOrder()));
    const answers = await Promise.all(ids.map((id) => lp.claim(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(7);
    for (const { body } of refused) expect(body.error).toMatch(/^Insufficient collateral/);
    expect(await corridor.collateralOf(lp)).toEqual({ available: 5, locked: 30 });
  });

  test('without enough collateral changes nothing', async () => {
    const lp = await corridor.newLp({ collateral: 9.99 });
    const id = await agent.newOrder();
    expect(await lp.claim(id)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/Insufficient/) },
    });
    expect(await agent.statusOf(id)).toBe('matched');
    expect(await corridor.collateralOf(lp)).toEqual({ available: 9.99, locked: 0 });
  });

  test('is refused without an address for the token', async () => {
    const lp = await corridor.newLp({ asset: false });
    const id = await agent.newOrder();
    expect(await lp.claim(id)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/usdt on trx/) },
    });
    expect(await agent.statusOf(id)).toBe('matched');
  });

  test('that its winner repeats gets the same response and locks nothing more', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const id = await agent.newOrder();
    const [first, second] = [await lp.claim(id), await lp.claim(id)];
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
  });

  test('for an unknown order gets a 404, and without a key a 401', async () => {
    const lp = await corridor.newLp();
    expect((await lp.claim(999_999)).status).toBe(404);
    expect((await lp.call('POST', '/api/orders/abc/claim', {})).status).toBe(404);
    const id = await agent.newOrder();
    expect((await corridor.anyone('POST', `/api/orders/${id}/claim`, {})).status).toBe(401);
    expect((await agent.call('POST', `/api/orders/${id}/claim`, {})).status).toBe(401);
  });
});

describe('each step', () => {
  test('gets a 409 if it is too early, and changes nothing', async () => {
    const lp = await corridor.newLp();
    const id = await agent.newOrder();
    expect((await agent.confirm(id)).status).toBe(409);
    expect((await agent.settle(id, 'ab'.repeat(32))).status).toBe(409);
    await lp.claim(id);
    expect((await agent.confirm(id)).status).toBe(409);
    await lp.fiatSent(id);
    expect(await agent.settle(id, 'ab'.repeat(32))).toMatchObject({
      status: 409,
      body: { error: 'Order is not confirmed: it is fiat_sent' },
    });
    expect(await agent.statusOf(id)).toBe('fiat_sent');
  });

  test('of the LP is refused to every LP but the owner of the order', async () => {
    const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
    const id = await agent.newOrder();
    expect((await other.fiatSent(id)).status).toBe(403);
    await lp.claim(id);
    expect((await other.fiatSent(id)).status).toBe(403);
    expect((await fiatSent({ ...lp, call: corridor.anyone }, id)).status).toBe(401);
    expect(await lp.fiatSent(id)).toMatchObject({ status: 200, body: { status: 'fiat_sent' } });
    expect(await lp.fiatSent(id)).toMatchObject({ status: 200, body: { status: 'fiat_sent' } });
  });

  test('can be repeated with the same response', async () => {
    const lp = await corridor.newLp();
    const id = await agent.confirmedOrder(lp);
    expect(await agent.confirm(id)).toMatchObject({ status: 200, body: { status: 'confirmed' } });
    const hash = await corridor.payment(agent, id, { final_after_ms: 60_000 });
    const answers = [await agent.settle(id, hash), await agent.settle(id, hash.toUpperCase())];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({ status: 'crypto_verify_pending', message: expect.any(String), order_id: id });
    }
    expect((await agent.settle(id, 'cd'.repeat(32))).status).toBe(409);
  });

  test('of the settlement needs a tx_hash', async () => {
    const id = await agent.confirmedOrder(await corridor.newLp());
    expect(await agent.settle(id, undefined as never)).toMatchObject({
      status: 400,
      body: { error: { fieldErrors: { tx_hash: expect.any(Array) } }, message: 'Validation failed' },
    });
    expect(await agent.statusOf(id)).toBe('confirmed');
  });
});

describe('a completed order', () => {
  test('has released the locked collateral, and charged the fee', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const id = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, id);
    await agent.settle(id, hash);
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
    expect(await corridor.collateralOf(lp)).toEqual({ available: 99.95, locked: 0 });
    expect(await transfers(id)).toEqual([
      { debit: `lp:${lp.id}:available`, credit: `lp:${lp.id}:locked`, amount: 10 },
      { debit: `lp:${lp.id}:available`, credit: 'platform:fees', amount: 0.05 },
      { debit: `lp:${lp.id}:locked`, credit: `lp:${lp.id}:available`, amount: 10 },
    ]);
    const { body } = await agent.call('GET', `/api/v1/status/${id}`);
    expect(body).toMatchObject({ tx_hash: hash, completed_at: expect.any(String) });
  });

  test('has consumed its transaction', async () => {
    const lp = await corridor.newLp();
    const [first, second] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(lp)];
    // A test hash pays the exact amount of each order.
    const hash = 'sandbox-paid-consumed';
    expect((await agent.settle(first, hash)).status).toBe(200);
    await eventuallyEquals(() => agent.statusOf(first), 'completed');
    expect((await agent.settle(second, `0x${hash}`)).status).toBe(200);
    await eventuallyEquals(() => agent.statusOf(second), 'confirmed');
    expect(await corridor.lastTransition(second)).toMatchObject({
      reason: 'This transaction has paid something else, and one transaction pays one order',
      reason_code: 'transaction_used',
    });
  });

  test('cannot be settled again, not even with the same hash', async () => {
    const lp = await corridor.newLp();
    const id = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, id);
    await agent.settle(id, hash);
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
    for (const again of [hash, `0x${hash}`, 'ab'.repeat(32)]) {
      expect(await agent.settle(id, again)).toMatchObject({
        status: 409,
        body: { error: 'Order is not confirmed: it is completed' },
      });
    }
  });
});

describe('GET /api/orders/:id', () => {
  test('shows strangers the order without its private fields', async () => {
    const lp = await corridor.newLp();
    const id = await agent.newOrder({ callback_url: corridor.receiver.url, recipient_name: 'Very Private' });
    await lp.claim(id);
    const { status, body } = await corridor.anyone('GET', `/api/orders/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      status: 'claimed',
      amount_fiat: 1295,
      amount_usd: 10,
      lp_id: lp.id,
      fee_usd: 0.05,
    });
    expect(body.lp_receive_address).toBe(lp.address);
    for (const field of [
      'user_id',
      'payee_id',
      'callback_url',
      'receipt_url',
      'recipient',
      'recipient_name',
    ]) {
      expect(body).not.toHaveProperty(field);
    }
  });

  test('shows the parties more, but never the recipient', async () => {
    const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
    const id = await agent.newOrder({ callback_url: corridor.receiver.url });
    await lp.claim(id);
    for (const call of [agent.call, corridor.admin]) {
      const { body } = await call('GET', `/api/orders/${id}`);
      expect(body).toMatchObject({ user_id: agent.userId, callback_url: corridor.receiver.url });
      expect(body).not.toHaveProperty('callback_host');
      expect(JSON.stringify(body)).not.toContain('+254700123456');
    }
    const { body } = await lp.call('GET', `/api/orders/${id}`);
    expect(body).toMatchObject({ callback_host: new URL(corridor.receiver.url).host, receipt_url: null });
    expect(body).not.toHaveProperty('user_id');
    expect(body).not.toHaveProperty('callback_url');
    const stranger = await corridor.newAgent();
    for (const call of [other.call, stranger.call, corridor.as('nonsense')]) {
      expect((await call('GET', `/api/orders/${id}`)).body).not.toHaveProperty('user_id');
    }
  });

  test('for an unknown order gets a 404', async () => {
    expect(await corridor.anyone('GET', '/api/orders/999999')).toMatchObject({
      status: 404,
      body: { error: 'Not found' },
    });
  });
});
