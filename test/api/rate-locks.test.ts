import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ rate: 129.5, spreadBps: 40 });

const rates = (changes: Record<string, unknown> = {}, by = agent) =>
  by.call('POST', '/api/v1/rates', { amount: 1_295, currency: 'KES', ...changes });
const lock = async (changes: Record<string, unknown> = {}): Promise<string> =>
  (await expectStatus(201, rates(changes))).rate_lock_id;
const orderCount = async (): Promise<number> =>
  (await corridor.db.query<{ n: number }>('count', 'select count(*)::int as n from orders', []))[0]?.n ?? -1;

/** The amount is the price, or up to a cent more. */
const expectWithin = (amount: number, price: number) => {
  expect(amount).toBeGreaterThanOrEqual(price);
  expect(amount).toBeLessThan(price + 0.01);
};

describe('POST /api/v1/rates', () => {
  test('returns 201 with a quote, its exact amount and its expiry', async () => {
    const { status, body } = await rates();
    expect(status).toBe(201);
    expect(body).toEqual({
      rate_lock_id: expect.stringMatching(/^rl_[0-9a-f]{48}$/),
      rate: '1 USD = 129.5 KES',
      rate_usd: 129.5,
      // 1295 / 129.5 = 10 USD, 0.4 % spread 0.04, fee 0.05
      crypto_amount: expect.any(Number),
      fee_usd: 0.05,
      lp: { id: lp.id, rate: 129.5 },
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    expectWithin(body.crypto_amount, 10.09);
    const { body: paid } = await agent.pay({ rate_lock_id: body.rate_lock_id });
    expect(paid.crypto_required.amount).toBe(body.crypto_amount);
    const { body: other } = await agent.pay();
    expect(other.crypto_required.amount).not.toBe(body.crypto_amount);
    expectWithin(other.crypto_required.amount, 10.09);
  });

  test.each([
    ['a token without a price', { crypto_symbol: 'btc' }, 400, /Could not calculate rate/],
    ['a currency that no LP has', { currency: 'XOF' }, 404, /^No LP available for this currency$/],
    ['a mistyped currency', { currency: 'kse' }, 404, /^No LP available .* Did you mean KES\?$/],
  ])('refuses %s', async (_what, changes, status, text) => {
    const answer = await rates(changes);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(text);
  });

  test('refuses an amount above every payout limit, as pay does', async () => {
    const { id } = await corridor.newLp({ currency: 'XAU', rate: 0.001, collateral: 200_000_000 });
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${id}/tier`, { tier: 4 }));
    const changes = { currency: 'XAU', amount: 1_000_001 };
    for (const answer of [await rates(changes), await agent.pay(changes)]) {
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.error.fieldErrors)).toEqual(['amount']);
    }
  });
});

describe('a payment with a rate lock', () => {
  test('uses the locked rate of the LP that quoted it, even if rates have changed since', async () => {
    const quoted = await corridor.newLp({ currency: 'UGX', rate: 3_700 });
    const id = await lock({ currency: 'UGX', amount: 37_000 });
    const cheaper = await corridor.newLp({ currency: 'UGX', rate: 3_900 });
    const body = { currency: 'UGX', rate_usd: 3_500 };
    await expectStatus(200, quoted.call('POST', `/api/lp/${quoted.key}/rates`, body));

    const paid = await agent.pay({ currency: 'ugx', amount: 37_000, rate_lock_id: id });
    expect(paid.status).toBe(201);
    expect(paid.body).toMatchObject({
      lp: { id: quoted.id, rate: 3700 },
      rate: '1 USD = 3700 UGX',
    });
    expectWithin(paid.body.crypto_required.amount, 10.05);
    const second = await agent.pay({ currency: 'UGX', amount: 37_000 });
    expect(second.body.lp).toEqual({ id: cheaper.id, rate: 3900 });
  });

  test.each([
    ['another amount', { amount: 1_296 }],
    ['another currency', { currency: 'UGX' }],
    ['another token', { crypto_symbol: 'usdc' }],
    ['another chain', { crypto_chain: 'eth' }],
  ])('is refused for %s, and leaves the lock for a matching payment', async (_what, changes) => {
    const id = await lock();
    const before = await orderCount();
    const refused = await agent.pay({ rate_lock_id: id, ...changes });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'This rate lock is for 1295 KES in usdt on trx' },
    });
    expect(await orderCount()).toBe(before);
    expect((await agent.pay({ rate_lock_id: id, crypto_symbol: 'USDT' })).status).toBe(201);
  });

  test('is refused when the lock was used, or belongs to another agent', async () => {
    const id = await lock();
    const other = await corridor.newAgent();
    expect(await other.pay({ rate_lock_id: id })).toMatchObject({
      status: 400,
      body: { error: 'Unknown rate_lock_id' },
    });
    await expectStatus(201, agent.pay({ rate_lock_id: id }));
    expect(await agent.pay({ rate_lock_id: id })).toMatchObject({
      status: 400,
      body: { error: 'This rate lock has been used' },
    });
  });

  test('is refused when the lock has expired', async () => {
    const hasty = await startCorridor({ worker: false, env: { RATE_LOCK_TIMEOUT: '1ms' } });
    try {
      const payer = await hasty.newAgent();
      await hasty.newLp();
      const { rate_lock_id, expires_at } = await expectStatus(201, rates({}, payer));
      await eventually(async () => Date.now() > Date.parse(expires_at));
      expect(await payer.pay({ rate_lock_id })).toMatchObject({
        status: 400,
        body: { error: 'This rate lock has expired: ask for a new one' },
      });
    } finally {
      await hasty.stop();
    }
  });

  test('that fails for another reason leaves the lock as it was', async () => {
    const id = await lock();
    const refused = await agent.pay({ rate_lock_id: id, user_id: 999_999 }, { 'idempotency-key': 'no-user' });
    expect(refused.body.error).toMatch(/Unknown user_id/);
    expect((await agent.pay({ rate_lock_id: id })).status).toBe(201);
  });

  test('in twenty concurrent requests creates one order', async () => {
    const id = await lock();
    const before = await orderCount();
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.pay({ rate_lock_id: id })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { body } of answers.filter(({ status }) => status !== 201)) {
      expect(body).toEqual({ error: 'This rate lock has been used' });
    }
    expect(await orderCount()).toBe(before + 1);
  });

  test('and an Idempotency-Key in twenty concurrent requests creates one order and replays its response', async () => {
    const id = await lock();
    const before = await orderCount();
    const send = () => agent.pay({ rate_lock_id: id }, { 'idempotency-key': 'locked' });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.order_id)).size).toBe(1);
    expect(await orderCount()).toBe(before + 1);
    expect((await send()).body).toMatchObject({ idempotent_replay: true });
  });
});
