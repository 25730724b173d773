import { afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { decimal } from '../../src/domain/money.ts';
import type { pay } from '../support/actors.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** No two live orders of a token ask for the same amount, and only a transfer of exactly that amount pays an order. */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });
afterEach(() => corridor.sql(`delete from reserved_amount where order_id < 0 or rate_lock_id = 'test'`));

/** The price of this file's orders. Each order gets one of the 10,000 amounts from this price on. */
const PRICE = 10.05;
const quote = { amount: 1_295, currency: 'KES' };
const amountOf = async (paid: ReturnType<typeof pay>) =>
  (await expectStatus(201, paid)).crypto_required.amount as number;
const rates = () => agent.call('POST', '/api/v1/rates', quote);

/** Reserves all amounts from the price on for other orders, except `free`: distances from the price in the token's smallest unit. */
const reserveAllExcept = (free: number[]) =>
  corridor.sql(
    `insert into reserved_amount (chain, symbol, purpose, amount, order_id)
     select 'trx', 'usdt', 'order', 10.05 + n / 1000000.0, -1 - n from generate_series(0, 9999) n where n <> all ($1::int[])
     on conflict do nothing`,
    [free],
  );

describe('the amount of an order', () => {
  test('is found immediately among 5,000 live orders of the same price, and 4,000 amounts of unpaid ones', async () => {
    // Without a worker, because the orders have no workflows.
    const busy = await startCorridor({ worker: false });
    try {
      // The 5,000 orders count towards the limit of another agent.
      const [other, payer] = [await busy.newAgent(), await busy.newAgent()];
      await busy.newLp();
      const template = await other.newOrder();
      await busy.db.pool.query(
        `insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps,
           amount_usd, fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms)
         select 'other-' || n, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps,
           amount_usd, fee_usd, 10.05 + n / 1000000.0, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms
         from orders, generate_series(0, 4999) n
         where id = $1 and amount_crypto <> 10.05 + n / 1000000.0`,
        [template],
      );
      await busy.db.pool.query(
        `insert into reserved_amount (chain, symbol, purpose, amount, order_id, expires_at)
         select 'trx', 'usdt', 'order', 10.05 + n / 1000000.0, -n, now() + interval '7 days'
         from generate_series(5000, 8999) n on conflict do nothing`,
      );
      const amounts = await Promise.all(Array.from({ length: 20 }, () => amountOf(payer.pay())));
      expect(new Set(amounts).size).toBe(20);
      for (const amount of amounts) {
        expect(amount).toBeGreaterThanOrEqual(10.059);
        expect(amount).toBeLessThan(PRICE + 0.01);
      }
    } finally {
      await busy.stop();
    }
  });

  test('that is the last free one goes to one of two parallel payments, and the other gets a 503', async () => {
    await reserveAllExcept([4_321]);
    const answers = await Promise.all([agent.pay(), agent.pay()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 503]);
    expect(answers.find(({ status }) => status === 201)?.body.crypto_required.amount).toBe(10.054321);
    const refused = answers.find(({ status }) => status === 503);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('x-error-code')).toBe('amounts_exhausted');
  });

  test('that is the last free one is drawn by one of eight copies of a payment, and all get its order', async () => {
    await reserveAllExcept([5_678]);
    const key = { 'idempotency-key': 'eight-copies' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => agent.pay({}, key)));
    for (const { status, body } of answers) {
      expect([200, 201]).toContain(status);
      expect(body.order_id).toBe(answers[0]?.body.order_id);
    }
  });

  test('is refused with a reason when none is free, and other prices still work', async () => {
    await reserveAllExcept([]);
    for (const answer of [await agent.pay(), await rates()]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('30');
      expect(answer.body.error).toMatch(
        /^Live orders and rate locks use all 10000 amounts from 10.05 to 10.059999 usdt on trx: try again later/,
      );
    }
    expect((await agent.pay({ amount: 1_300 })).status).toBe(201);
  });

  test('differs between parallel payments that have three amounts left', async () => {
    await reserveAllExcept([1, 2, 3]);
    const amounts = await Promise.all([1, 2, 3].map(() => amountOf(agent.pay())));
    expect(amounts.sort()).toEqual([10.050001, 10.050002, 10.050003]);
  });

  test('is free again when its order ends', async () => {
    await reserveAllExcept([77]);
    const { order_id } = await expectStatus(201, agent.pay());
    expect((await agent.pay()).status).toBe(503);
    await expectStatus(200, agent.cancel(order_id));
    expect(await amountOf(agent.pay())).toBe(10.050077);
  });

  test('cannot be shared, even by a direct insert of an order', async () => {
    const id = await agent.newOrder();
    const twin = corridor.sql(
      `insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms)
       select 'twin', agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms
       from orders where id = $1`,
      [id],
    );
    await expect(twin).rejects.toThrow(
      /^Another order, rate lock, deposit or withdrawal has the amount 10\.05\d+ usdt on trx$/,
    );
  });
});

describe('a rate lock', () => {
  test('holds its amount against payments and other locks, and gives it to its own payment', async () => {
    await reserveAllExcept([500]);
    const lock = await expectStatus(201, rates());
    expect(lock.crypto_amount).toBe(10.0505);
    expect([(await agent.pay()).status, (await rates()).status]).toEqual([503, 503]);
    const paid = await expectStatus(201, agent.pay({ rate_lock_id: lock.rate_lock_id }));
    expect(paid.crypto_required.amount).toBe(10.0505);
    expect([(await agent.pay()).status, (await rates()).status]).toEqual([503, 503]);
    await expectStatus(200, agent.cancel(paid.order_id));
    expect((await rates()).status).toBe(201);
  });

  test('loses its amount when it expires', async () => {
    await reserveAllExcept([600]);
    const lock = await expectStatus(201, rates());
    await corridor.sql(
      `with expired as (
         update rate_lock set expires_at = date_trunc('milliseconds', now()) where id = $1 returning id, expires_at
       )
       update reserved_amount r set expires_at = expired.expires_at from expired where r.rate_lock_id = expired.id`,
      [lock.rate_lock_id],
    );
    expect(await amountOf(agent.pay())).toBe(10.0506);
    expect((await agent.pay({ rate_lock_id: lock.rate_lock_id })).status).toBe(400);
  });

  test('and a payment never get the same amount, in parallel', async () => {
    await reserveAllExcept([700, 701]);
    const [lock, paid] = await Promise.all([rates(), agent.pay()]);
    expect([lock.status, paid.status]).toEqual([201, 201]);
    expect(new Set([lock.body.crypto_amount, paid.body.crypto_required.amount]).size).toBe(2);
  });
});

describe('a transfer', () => {
  const owed = async (id: number) =>
    (await expectStatus(200, agent.call('GET', `/api/v1/status/${id}`))).crypto_amount as number;

  test.each([
    ['one unit less', -1, 'less'],
    ['one unit more', 1, 'more'],
  ])('of %s is refused with both amounts, and an admin can still resolve', async (_what, units, side) => {
    const id = await agent.confirmedOrder(lp);
    const exact = decimal(await owed(id));
    const paid = exact.plus(decimal(units).div(1_000_000));
    for (const after of ['confirmed', 'confirmed', 'disputed']) {
      const hash = await corridor.payment(agent, id, { amount: paid.toNumber() });
      await expectStatus(200, agent.settle(id, hash));
      await eventuallyEquals(() => agent.statusOf(id), after);
    }
    expect((await corridor.lastTransition(id)).reason).toContain(
      `pays ${paid.toFixed()} usdt, not exactly ${exact.toFixed()}: 0.000001 ${side} than is asked for`,
    );
    await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'completed' }));
  });

  test('for another agent’s order of the same price and LP does not settle mine', async () => {
    const victim = await corridor.newAgent();
    const [mine, theirs] = [await agent.confirmedOrder(lp), await victim.confirmedOrder(lp)];
    const hash = await corridor.payment(victim, theirs);
    await expectStatus(200, agent.settle(mine, hash));
    await eventually(async () => (await corridor.lastTransition(mine)).cause === 'invalid');
    expect(await agent.statusOf(mine)).toBe('confirmed');
    await expectStatus(200, victim.settle(theirs, hash));
    await eventuallyEquals(() => victim.statusOf(theirs), 'completed');
  });
});
