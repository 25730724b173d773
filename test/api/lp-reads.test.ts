import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { CHAINS } from '../../src/domain/assets.ts';
import { deposit } from '../support/actors.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { upToACentAbove } from '../support/up-to-a-cent-above.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor();
const agent = await corridor.newAgent();

const read = async (lp: TestLp, what: 'dashboard' | 'balance') => {
  const answer = await lp.call('GET', `/api/lp/${lp.key}/${what}`);
  expect(answer.status).toBe(200);
  return answer.body;
};
const orderRow = (body: { my_orders: { id: number }[] }, id: number) =>
  body.my_orders.find((order) => order.id === id);

describe('the dashboard', () => {
  test('shows the LP its own terms, but no key', async () => {
    const lp = await corridor.newLp({ collateral: 50, spreadBps: 25 });
    const body = await read(lp, 'dashboard');
    expect(body.lp).toEqual({
      id: lp.id,
      display_name: expect.stringMatching(/^LP \d+$/),
      status: 'approved',
      incidents: [],
      tier: 0,
      spread_bps: 25,
      orders_completed: 0,
      completion_rate: null,
      median_fiat_seconds: null,
      unclaimed_quotes: 0,
      strikes: 0,
      cooling_down_until: null,
      free_releases_left: 3,
      xrpl_address: 'rTestLiquidityProvider11111111',
      mpesa_phone: '+254711000001',
      created_at: expect.any(String),
      collateral: { available: upToACentAbove(50), locked: 0 },
      auto_claim: { enabled: false, max_amount_usd: null, currencies: null, min_profit_usd: 0 },
      webhook: {
        ...{ state: 'off', url: null, events: [], waiting: 0 },
        ...{ last_delivered_at: null, failing_since: null, last_error: null, stopped_at: null },
      },
      fiat_within_seconds: 1_800,
    });
    expect(body.rates).toEqual([
      {
        ...{ currency: 'KES', method: 'mobile_money', rate_usd: 129.5, offset_bps: null },
        ...{ min: 0, max: null, float: null, float_reserved: 0, float_low: null, quoting: true },
        ...{ valid_until: expect.any(String), updated_at: expect.any(String), not_quoted: null },
      },
    ]);
    expect(body.assets).toEqual([
      {
        symbol: 'usdt',
        chain: 'trx',
        address: lp.address,
        destination_tag: null,
        pending: null,
        created_at: expect.any(String),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(lp.key);
  });

  test('shows the auto-claim configuration as it was set', async () => {
    const lp = await corridor.newLp({ currency: 'UGX', rate: 3_700 });
    const auto_claim = { enabled: true, max_amount_usd: 99.5, currencies: ['UGX'], min_profit_usd: -0.25 };
    expect((await lp.call('POST', `/api/lp/${lp.key}/auto-claim`, auto_claim)).status).toBe(200);
    expect((await read(lp, 'dashboard')).lp.auto_claim).toEqual(auto_claim);
    await lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: false });
    const off = { enabled: false, max_amount_usd: null, currencies: null, min_profit_usd: 0 };
    expect((await read(lp, 'dashboard')).lp.auto_claim).toEqual(off);
  });

  test('offers the open orders, with what each would lock and earn at the LP’s own rate', async () => {
    const quoted = await corridor.newLp({ currency: 'RWF', rate: 1_300, spreadBps: 100 });
    const better = await corridor.newLp({ currency: 'RWF', rate: 1_250 });
    const expired = await corridor.newLp({ currency: 'RWF', rate: 1_250 });
    const stranger = await corridor.newLp({ currency: 'KES' });
    const expire = `update lp_term set valid_until = date_trunc('milliseconds', now()) where lp_id = $1`;
    await corridor.db.query('expire', expire, [expired.id]);
    await corridor.db.query('tier', 'update lp set tier = 2 where id = $1', [better.id]);
    const id = await agent.newOrder({ currency: 'RWF', amount: 13_000 });
    const offered = async (lp: TestLp) =>
      (await read(lp, 'dashboard')).open_orders.find((order: { id: number }) => order.id === id);
    // Cheaper for the payer, and therefore quoted: 1300 with 1 % spread costs less than 1250 without spread.
    expect(await offered(quoted)).toEqual({
      id,
      status: 'matched',
      amount_fiat: 13_000,
      currency: 'RWF',
      amount_usd: 10,
      crypto_symbol: 'usdt',
      crypto_chain: 'trx',
      amount_crypto: expect.closeTo(10.155, 2),
      method: 'mobile_money',
      institution: null,
      recipient_masked: '+2•••••••••56',
      collateral_required: 10,
      est_profit_usd: 0.1,
      expires_at: expect.any(String),
      created_at: expect.any(String),
    });
    // 13000 at 1250 costs 10.40.
    expect(await offered(better)).toMatchObject({ collateral_required: 5, est_profit_usd: -0.3 });
    // The LP has no valid rate, so Corridor does not know what the fiat costs it.
    expect(await offered(expired)).toMatchObject({ collateral_required: 10, est_profit_usd: null });
    expect(await offered(stranger)).toBeUndefined();
  });

  test('offers the newest twenty unclaimed orders, newest first', async () => {
    const lp = await corridor.newLp();
    const ids = [];
    for (let i = 0; i < 22; i++) ids.push(await agent.newOrder());
    await lp.claim(ids[21] as number);
    const shown = (await read(lp, 'dashboard')).open_orders.map((order: { id: number }) => order.id);
    expect(shown).toEqual(ids.slice(1, 21).reverse());
  });

  test('shows at most twenty of each of the LP’s own lists, newest first; of its orders also those that are due next', async () => {
    const lp = await corridor.newLp();
    const sql = corridor.db.pool;
    await sql.query(
      `insert into lp_term (lp_id, currency, method, rate_usd, valid_until, updated_at)
       select $1, 'Q' || chr(64 + n) || 'X', '*', n, now() + interval '1 day', now() + n * interval '1 second' from generate_series(1, 25) n`,
      [lp.id],
    );
    await sql.query(
      `insert into lp_asset (lp_id, symbol, chain, address, created_at)
       select $1, 'tok' || n, 'trx', 'T' || n, now() + n * interval '1 second' from generate_series(1, 25) n`,
      [lp.id],
    );
    const ids: number[] = [];
    for (let i = 0; i < 22; i++) {
      ids.push(await agent.newOrder());
      await lp.claim(ids.at(-1) as number);
    }
    const { rates, assets, my_orders } = await read(lp, 'dashboard');
    const shown = [...ids.slice(0, 10), ...ids.slice(12)];
    expect(my_orders.map((order: { id: number }) => order.id)).toEqual(shown.reverse());
    expect([rates.length, assets.length]).toEqual([20, 20]);
    expect([rates[0].currency, assets[0].symbol]).toEqual(['QYX', 'tok25']);
  });

  test('offers an LP only orders in the tokens of its receive addresses, or all orders if it has no address', async () => {
    const id = await agent.newOrder();
    const [bare, polygon] = [await corridor.newLp({ asset: false }), await corridor.newLp({ asset: false })];
    const body = { symbol: 'usdt', chain: 'polygon', address: '0xabc' };
    await polygon.call('POST', `/api/lp/${polygon.key}/assets`, body);
    const offered = async (lp: TestLp) =>
      (await read(lp, 'dashboard')).open_orders.map((order: { id: number }) => order.id);
    expect(await offered(bare)).toContain(id);
    expect(await offered(polygon)).toEqual([]);
  });

  test('shows the recipient to the owner of the order, from the claim to the end', async () => {
    const [lp, other] = [await corridor.newLp(), await corridor.newLp()];
    const payout = { recipient: '+254700555666', recipient_name: 'Wanjiru' };
    const id = await agent.newOrder(payout);
    const before = await read(lp, 'dashboard');
    expect(JSON.stringify(before)).not.toContain('254700555666');
    await lp.claim(id);
    expect(orderRow(await read(lp, 'dashboard'), id)).toMatchObject({
      status: 'claimed',
      owned: true,
      ...payout,
      method: 'mobile_money',
      recipient_details: { phone: '+254700555666' },
      collateral_locked: 10,
      lp_receive_address: lp.address,
    });
    expect(orderRow(await read(other, 'dashboard'), id)).toBeUndefined();
    await lp.fiatSent(id);
    expect(orderRow(await read(lp, 'dashboard'), id)).toMatchObject({ status: 'fiat_sent', ...payout });
  });

  test('keeps an order after the LP’s failed claim, without the recipient', async () => {
    const apart = await startCorridor();
    try {
      const caller = await apart.newAgent();
      const [lp, next] = [await apart.newLp(), await apart.newLp()];
      const id = await caller.newOrder();
      await expectStatus(200, lp.claim(id));
      await passDeadline(apart, id);
      await eventuallyEquals(() => caller.statusOf(id), 'matched');
      const lost = await read(lp, 'dashboard');
      expect(lost.open_orders).toEqual([]);
      expect(lost.lp.strikes).toBe(1);
      expect(orderRow(lost, id)).toMatchObject({
        owned: false,
        recipient: null,
        recipient_name: null,
        recipient_details: null,
        method: 'mobile_money',
        lp_receive_address: null,
        collateral_locked: null,
      });
      const [offer] = (await read(next, 'dashboard')).open_orders;
      const { timeout_at } = (await apart.anyone('GET', `/api/orders/${id}`)).body;
      expect(offer).toMatchObject({ id, expires_at: timeout_at });
    } finally {
      await apart.stop();
    }
  });

  test('does not list an order as the LP’s own if the LP was only quoted', async () => {
    const lp = await corridor.newLp({ currency: 'UGX', rate: 3_700 });
    const id = await agent.newOrder({ currency: 'UGX', amount: 37_000 });
    await passDeadline(corridor, id);
    await eventuallyEquals(() => agent.statusOf(id), 'cancelled');
    expect((await read(lp, 'dashboard')).my_orders).toEqual([]);
  });
});

describe('the balance', () => {
  test('adds up, with the deposits and the fees', async () => {
    const lp = await corridor.newLp({ collateral: 100 });
    const before = (await read(lp, 'balance')).platform_total_fees;
    const done = await corridor.completedOrder(agent, lp);
    await lp.claim(await agent.newOrder());
    const announcement = { amount: 7.5, asset: 'usdc', chain: 'base', tx_hash: 'abcd1234' };
    const announced = lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, announcement);
    const exact = (await expectStatus(200, announced)).pay_to.amount;
    const body = await read(lp, 'balance');
    expect(await corridor.collateralOf(lp)).toEqual({ available: 89.95, locked: 10 });
    expect(body).toEqual({
      balance: {
        available: upToACentAbove(89.95),
        locked: 10,
        withdrawing: 0,
        total: upToACentAbove(99.95),
      },
      recent_deposits: [
        {
          id: expect.any(Number),
          ...announcement,
          amount: exact,
          status: 'pending',
          created_at: expect.any(String),
          expires_at: expect.any(String),
          confirmed_at: null,
        },
        {
          id: expect.any(Number),
          ...{ asset: 'usdt', chain: 'trx', tx_hash: null, status: 'confirmed' },
          amount: upToACentAbove(100),
          created_at: expect.any(String),
          expires_at: expect.any(String),
          confirmed_at: expect.any(String),
        },
      ],
      recent_withdrawals: [],
      recent_fees: [{ order_id: done, amount: 0.05, created_at: expect.any(String) }],
      deposit_addresses: CHAINS.map((chain) => ({ chain, address: 'sandbox-collateral' })),
      platform_total_fees: expect.closeTo(before + 0.05, 6),
    });
  });

  test('shows the newest twenty deposits', async () => {
    const lp = await corridor.newLp({ collateral: 0 });
    for (let amount = 1; amount <= 21; amount++) await deposit(lp, amount);
    const amounts = (await read(lp, 'balance')).recent_deposits.map((d: { amount: number }) =>
      Math.floor(d.amount),
    );
    expect(amounts).toEqual(Array.from({ length: 20 }, (_, i) => 21 - i));
  });
});

test('the public list shows the approved LPs with their terms, and nothing private', async () => {
  const lp = await corridor.newLp({ currency: 'ZMW', rate: 26.25, spreadBps: 30 });
  const bare = await corridor.newLp({ asset: false });
  const suspended = await corridor.newLp();
  await corridor.db.query('suspend', `update lp set status = 'suspended' where id = $1`, [suspended.id]);
  const { status, body } = await corridor.anyone('GET', '/api/lps');
  expect(status).toBe(200);
  const find = (id: number) => body.lps.find((listed: { id: number }) => listed.id === id);
  expect(find(lp.id)).toEqual({
    id: lp.id,
    display_name: expect.any(String),
    tier: 0,
    spread_bps: 30,
    orders_completed: 0,
    completion_rate: null,
    median_fiat_seconds: null,
    unclaimed_quotes: 0,
    strikes: 0,
    rates: [{ currency: 'ZMW', method: 'mobile_money', rate_usd: 26.25 }],
    assets: [{ symbol: 'usdt', chain: 'trx' }],
  });
  expect(find(bare.id).assets).toEqual([]);
  expect(find(suspended.id)).toBeUndefined();
  for (const secret of [lp.address, '254711000001', 'rTestLiquidityProvider11111111', lp.key]) {
    expect(JSON.stringify(body)).not.toContain(secret);
  }
});
