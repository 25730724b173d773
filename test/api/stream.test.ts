import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { editEvents } from '../support/edit-events.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ rate: 130 });

const pollNow = (caller: TestLp, query = '') =>
  caller.call('GET', `/api/lp/${caller.key}/orders/stream${query}`);
/** Polls after the feed shows everything that is committed. */
async function poll(caller: TestLp, query?: string) {
  await waitForOlderTransactions(corridor.db);
  return pollNow(caller, query);
}
const ids = (body: { orders: { id: number }[] }) => body.orders.map(({ id }) => id);

describe('GET orders/stream', () => {
  test('shows open orders with the fields that an LP decides by', async () => {
    const id = await agent.newOrder({ amount: 1_300 });
    const { orders, count, poll_again_ms } = await expectStatus(200, poll(lp));
    expect(count).toBe(orders.length);
    expect(poll_again_ms).toBe(1_000);
    expect(orders.find((order: { id: number }) => order.id === id)).toEqual({
      id,
      status: 'matched',
      amount_fiat: 1300,
      currency: 'KES',
      amount_usd: 10,
      crypto_symbol: 'usdt',
      crypto_chain: 'trx',
      amount_crypto: expect.closeTo(10.055, 2),
      method: 'mobile_money',
      institution: null,
      recipient_masked: '+2•••••••••56',
      collateral_required: 10,
      est_profit_usd: 0,
      expires_at: expect.any(String),
      created_at: expect.any(String),
    });
  });

  test('with its cursor shows each order exactly once', async () => {
    const { cursor } = await expectStatus(200, poll(lp));
    const [one, two] = [await agent.newOrder(), await agent.newOrder()];
    const first = await expectStatus(200, poll(lp, `?cursor=${cursor}`));
    expect(ids(first)).toEqual([one, two]);
    const second = await expectStatus(200, poll(lp, `?cursor=${first.cursor}`));
    expect(second).toMatchObject({ orders: [], count: 0, poll_again_ms: 3_000 });
    const three = await agent.newOrder();
    expect(ids(await expectStatus(200, poll(lp, `?cursor=${second.cursor}`)))).toEqual([three]);
  });

  test('misses nothing when transactions commit in a different order than they started', async () => {
    const { cursor } = await expectStatus(200, poll(lp));
    const template = await agent.newOrder();
    const slow = await corridor.db.pool.connect();
    const late = 900_000 + template;
    try {
      await slow.query('begin');
      await slow.query(
        `insert into orders (id, payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps,
           amount_usd, fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms)
         select $1, 'late', agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps,
           amount_usd, fee_usd, amount_crypto + 1000, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms
         from orders where id = $2`,
        [late, template],
      );
      await slow.query(
        `insert into order_event (order_id, seq, status, actor, cause, snapshot)
         select $1, 1, 'matched', 'agent:1', 'pay', snapshot from order_event where order_id = $2 and seq = 1`,
        [late, template],
      );
      const early = await agent.newOrder();
      const first = await expectStatus(200, pollNow(lp, `?cursor=${cursor}`));
      await slow.query('commit');
      const second = await expectStatus(200, poll(lp, `?cursor=${first.cursor}`));
      expect([...ids(first), ...ids(second)].sort()).toEqual([template, early, late].sort());
    } finally {
      slow.release();
    }
  });

  test('shows the orders that opened since a time', async () => {
    await agent.newOrder();
    const later = await expectStatus(200, poll(lp, `?since=${new Date(Date.now() + 60_000).toISOString()}`));
    expect(later.orders).toEqual([]);
    const earlier = await expectStatus(200, poll(lp, '?since=2020-01-01T00:00:00Z'));
    expect(earlier.count).toBeGreaterThan(0);
  });

  test('shows the last minute by default', async () => {
    const [old, young] = [await agent.newOrder(), await agent.newOrder()];
    await editEvents(
      corridor.db.pool,
      `update order_event set created_at = now() - interval '61 seconds' where order_id = $1`,
      [old],
    );
    const shown = ids(await expectStatus(200, poll(lp)));
    expect([shown.includes(old), shown.includes(young)]).toEqual([false, true]);
    const since = new Date(Date.now() - 120_000).toISOString();
    expect(ids(await expectStatus(200, poll(lp, `?since=${since}`)))).toContain(old);
  });

  test('leaves out claimed orders, other currencies and tokens that the LP does not accept', async () => {
    const usdcOnly = await corridor.newLp({ asset: false });
    const asset = { symbol: 'usdc', chain: 'trx', address: 'TUsdcAddress' };
    await expectStatus(201, usdcOnly.call('POST', `/api/lp/${usdcOnly.key}/assets`, asset));
    const { cursor } = await expectStatus(200, poll(lp));
    const [open, claimed] = [await agent.newOrder(), await agent.newOrder()];
    await expectStatus(200, lp.claim(claimed));
    expect(ids(await expectStatus(200, poll(lp, `?cursor=${cursor}`)))).toEqual([open]);
    expect(ids(await expectStatus(200, poll(lp, `?cursor=${cursor}&currencies=ugx,tzs`)))).toEqual([]);
    expect(ids(await expectStatus(200, poll(lp, `?cursor=${cursor}&currencies=UGX,kes`)))).toEqual([open]);
    expect(ids(await expectStatus(200, poll(usdcOnly, `?cursor=${cursor}`)))).toEqual([]);
  });

  test('asks an LP without collateral to come back later', async () => {
    const poor = await corridor.newLp({ collateral: 0 });
    expect((await expectStatus(200, poll(poor))).poll_again_ms).toBe(10_000);
  });

  test.each([
    '?cursor=yesterday',
    '?cursor=99999999999999999999.0.0',
    '?since=yesterday',
    '?since=0000-01-01T00:00:00Z',
    '?currencies=shillings',
  ])('refuses %s', async (query) => {
    expect(await poll(lp, query)).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });
});
