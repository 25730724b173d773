import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { deposit, type LpOptions } from '../support/actors.ts';
import { startCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { offersAreMade } from '../support/offers-made.ts';
import type { TestLp } from '../support/parties.ts';
import { passDeadline } from '../support/pass-deadline.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

const corridor = await startCorridor({ env: { STRIKE_COOL_DOWN: '1h' } });
const agent = await corridor.newAgent();
const client = await connectToTemporal(corridor);
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

const setUp = (lp: TestLp, terms: object) => lp.call('POST', `/api/lp/${lp.key}/auto-claim`, terms);
const switchOn = async (lp: TestLp, terms: object = {}) => {
  expect(await expectStatus(200, setUp(lp, { enabled: true, ...terms }))).toEqual({ ok: true });
};

/** Each test has its own currency, so that LPs of other tests do not compete. */
let currencies = 0;
const newCurrency = () =>
  `X${String.fromCharCode(65 + Math.floor(currencies / 26), 65 + (currencies++ % 26))}`;
/** An LP with auto-claim on. Its rate is 100 by default. */
const autoLp = async (currency: string, options: LpOptions = {}, terms: object = {}) => {
  const lp = await corridor.newLp({ currency, rate: 100, ...options });
  await switchOn(lp, terms);
  return lp;
};
/** An order of 10 USD at the rate of 100. */
const order = (currency: string, changes: object = {}) =>
  agent.newOrder({ currency, amount: 1_000, ...changes });

const seen = async (orderId: number) => {
  const sql = `select o.status, o.lp_id, o.collateral_locked::float as locked, e.actor, e.cause
    from orders o join order_event e on e.order_id = o.id and e.seq = o.version where o.id = $1`;
  return (await corridor.db.query<Record<string, unknown>>('auto-seen', sql, [orderId]))[0];
};
const ownerOf = async (orderId: number) => {
  const row = await seen(orderId);
  return row?.status === 'matched' ? undefined : row?.lp_id;
};
/** Waits until the workflow's first task, which searches for auto-claims, has left the order open. */
const staysOpen = async (orderId: number) => {
  const events = async () =>
    (await client.workflow.getHandle(`order-${orderId}`).fetchHistory()).events?.length ?? 0;
  await eventually(async () => (await events()) > 4);
  expect(await agent.statusOf(orderId)).toBe('matched');
};

/** Gives the LP a strike for a failed claim of any order. */
const STRIKE = `insert into lp_strike (order_id, seq, lp_id)
  select max(id), 1_000_000 + $1::int, $1::bigint from orders`;

describe('an LP with auto-claim on', () => {
  test('gets a new order immediately, as if it had claimed it', async () => {
    const currency = newCurrency();
    const lp = await autoLp(currency, { collateral: 100 });
    const id = await order(currency, { callback_url: corridor.receiver.url });
    const hook = await corridor.receiver.next(({ body }) => body.order_id === id);
    expect(hook.body).toMatchObject({ status: 'claimed', data: { lp_receive_address: lp.address } });
    expect(await seen(id)).toEqual({
      status: 'claimed',
      lp_id: lp.id,
      locked: 10,
      actor: `lp:${lp.id}`,
      cause: 'auto-claim',
    });
    expect(await corridor.collateralOf(lp)).toEqual({ available: 90, locked: 10 });
    expect((await lp.claim(id)).status).toBe(200);
    expect((await lp.fiatSent(id)).status).toBe(200);
  });

  test('gets the orders that are open when it is switched on', async () => {
    const currency = newCurrency();
    const lp = await corridor.newLp({ currency, rate: 100, collateral: 25 });
    const ids = [await order(currency), await order(currency), await order(currency)];
    for (const id of ids) await staysOpen(id);
    await switchOn(lp);
    // Collateral for two of them.
    await eventuallyEquals(async () => (await corridor.collateralOf(lp)).locked, 20);
    await setUp(lp, { enabled: false });
    const statuses = await Promise.all(ids.map((id) => agent.statusOf(id)));
    expect(statuses.sort()).toEqual(['claimed', 'claimed', 'matched']);
  });

  test('gets no more orders after it is switched off', async () => {
    const currency = newCurrency();
    const lp = await autoLp(currency);
    await expectStatus(200, setUp(lp, { enabled: false }));
    await staysOpen(await order(currency));
  });

  test.each([
    ['above its limit', { max_amount_usd: 9.99 }, {}],
    ['in a currency that it did not list', { currencies: ['zzz'] }, {}],
    ['that earns less than its minimum', { min_profit_usd: 0.11 }, { spreadBps: 100 }],
  ])('does not get an order %s', async (_what, terms, options) => {
    const currency = newCurrency();
    await autoLp(currency, options, terms);
    await staysOpen(await order(currency));
  });

  test('does not get an order in a currency that it listed but has no rate for', async () => {
    const currency = newCurrency();
    // Without a rate of its own, Corridor cannot know whether the order is a loss for it.
    await autoLp(newCurrency(), { collateral: 500 }, { currencies: [currency], min_profit_usd: -100 });
    await corridor.newLp({ currency });
    await staysOpen(await order(currency));
  });

  test('gets an order that just meets all its conditions', async () => {
    const currency = newCurrency();
    const terms = { max_amount_usd: 10, currencies: [currency.toLowerCase()], min_profit_usd: 0.1 };
    const lp = await autoLp(currency, { spreadBps: 100, collateral: 10 }, terms);
    const id = await order(currency);
    await eventuallyEquals(() => ownerOf(id), lp.id);
  });

  test('does not get an order at a loss, unless its settings accept that loss', async () => {
    const currency = newCurrency();
    const lp = await autoLp(currency);
    await corridor.newLp({ currency, rate: 125 });
    // 1000 at 125 is 8 USD; at its own rate of 100 it would cost the LP 10.
    const id = await order(currency);
    await staysOpen(id);
    await switchOn(lp, { min_profit_usd: -1.99 });
    await staysOpen(await order(currency));
    await switchOn(lp, { min_profit_usd: -2 });
    await eventuallyEquals(() => ownerOf(id), lp.id);
  });

  test.each([
    ['has no receive address', 'delete from lp_asset where lp_id = $1'],
    ['is no longer approved', `update lp set status = 'suspended' where id = $1`],
    ['publishes no rate for the currency', 'delete from lp_term where lp_id = $1'],
    ['has too little collateral', 'update lp_collateral set available = 9.99 where lp_id = $1'],
  ])('does not get an order when it %s', async (what, change) => {
    const currency = newCurrency();
    const lp = await autoLp(currency);
    // Another LP that can be quoted.
    await corridor.newLp({ currency, rate: 99 });
    await corridor.db.query(`change: ${what}`, change, [lp.id]);
    await staysOpen(await order(currency));
  });
});

describe('of two LPs with auto-claim on', () => {
  test('the quoted one gets the order, and the other does not', async () => {
    const currency = newCurrency();
    // Same price, registered earlier. The one with collateral for more orders is quoted.
    const other = await autoLp(currency, { collateral: 15 });
    const quoted = await autoLp(currency, { collateral: 500 });
    const id = await order(currency);
    await eventuallyEquals(() => ownerOf(id), quoted.id);
    expect(await corridor.collateralOf(other)).toEqual({ available: 15, locked: 0 });
    expect(await corridor.collateralOf(quoted)).toEqual({ available: 490, locked: 10 });
  });

  test('the cheaper one gets an order whose quoted LP has auto-claim off', async () => {
    const currency = newCurrency();
    await corridor.newLp({ currency, rate: 100 });
    const loss = { min_profit_usd: -10 };
    await autoLp(currency, { rate: 98, collateral: 5_000 }, loss);
    const cheaper = await autoLp(currency, { rate: 99 }, loss);
    const id = await order(currency);
    await eventuallyEquals(() => ownerOf(id), cheaper.id);
  });

  test('the next one gets an order for which the quoted one lacks collateral', async () => {
    const currency = newCurrency();
    const quoted = await autoLp(currency, { collateral: 15 });
    const next = await autoLp(currency, { rate: 99 }, { min_profit_usd: -10 });
    await corridor.stopWorker();
    const ids = [await order(currency), await order(currency), await order(currency)];
    await corridor.startWorker();
    await eventually(async () => (await Promise.all(ids.map(ownerOf))).every(Boolean));
    expect(await corridor.collateralOf(quoted)).toEqual({ available: 5, locked: 10 });
    expect(await corridor.collateralOf(next)).toEqual({ available: 980, locked: 20 });
  });

  test('the one that is switched on while the other claims does not get the same order', async () => {
    const currency = newCurrency();
    const lps = [
      await corridor.newLp({ currency, rate: 100 }),
      await corridor.newLp({ currency, rate: 100 }),
    ];
    const ids = await Promise.all(Array.from({ length: 5 }, () => order(currency)));
    await Promise.all(lps.map((lp) => switchOn(lp)));
    await eventually(async () => (await Promise.all(ids.map(ownerOf))).every(Boolean));
    const locked = await Promise.all(lps.map(async (lp) => (await corridor.collateralOf(lp)).locked));
    expect(locked.reduce((a, b) => a + b)).toBe(50);
  });
});

test('a reoffered order goes to the next LP with auto-claim immediately', async () => {
  const quick = await startCorridor();
  try {
    const caller = await quick.newAgent();
    const lps = [await quick.newLp({ collateral: 500 }), await quick.newLp({ collateral: 100 })];
    for (const lp of lps) await switchOn(lp);
    const id = await caller.newOrder();
    const claims = () =>
      quick.db.query<{ actor: string }>(
        'claims',
        `select actor from order_event where order_id = $1 and cause = 'auto-claim' order by seq`,
        [id],
      );
    await eventuallyEquals(async () => (await claims()).length, 1);
    await passDeadline(quick, id);
    await eventuallyEquals(async () => (await claims()).length, 2);
    expect((await claims()).map(({ actor }) => actor)).toEqual(lps.map((lp) => `lp:${lp.id}`));
  } finally {
    await quick.stop();
  }
});

test('open orders are offered even if the API died before it signalled them', async () => {
  const currency = newCurrency();
  const lp = await corridor.newLp({ currency, rate: 100 });
  const id = await order(currency);
  await staysOpen(id);
  // The API died right after it stored the configuration.
  const store = `insert into lp_auto_claim (lp_id, enabled, offers_due_at) values ($1, true, now() - interval '1 minute')`;
  await corridor.db.query('store', store, [lp.id]);
  await eventuallyEquals(() => ownerOf(id), lp.id);
  await offersAreMade(corridor.db, lp.id);
});

describe('an open order is claimed for an LP with auto-claim on', () => {
  // An order for `STRIKE` to name.
  beforeAll(async () => {
    const currency = newCurrency();
    await corridor.newLp({ currency, rate: 100 });
    await order(currency);
  });

  const change = (lp: TestLp, path: string, body?: object) => () =>
    expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/${path}`, body));
  /** What blocks the LP, and what removes the blocker. */
  test.each<[string, LpOptions, string | null, (lp: TestLp, currency: string) => () => Promise<unknown>]>([
    [
      'once it is approved',
      {},
      `update lp set status = 'pending' where id = $1`,
      (lp) => change(lp, 'approve'),
    ],
    ['once its deposit is credited', { collateral: 0 }, null, (lp) => () => deposit(lp, 10)],
    [
      'once it publishes a better rate',
      { rate: 90 },
      null,
      (lp, currency) => () =>
        expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, { currency, rate_usd: 100 })),
    ],
    [
      'once its float covers it',
      {},
      'update lp_term set float_available = 999.99 where lp_id = $1',
      (lp, currency) => () =>
        expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/terms`, { currency, float: 1_000 })),
    ],
    [
      'once it registers an address',
      { asset: false },
      null,
      (lp) => () =>
        expectStatus(
          201,
          lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'trx', address: 'T' }),
        ),
    ],
    ['once its tier is high enough', { collateral: 7 }, null, (lp) => change(lp, 'tier', { tier: 2 })],
    ['once it is forgiven', {}, STRIKE, (lp) => change(lp, 'forgive', { reason: 'r' })],
    [
      'once its cool-down is over',
      {},
      STRIKE,
      (lp) => () =>
        corridor.db.query(
          'age-strike',
          `update lp_strike set created_at = now() - interval '1 hour' where lp_id = $1`,
          [lp.id],
        ),
    ],
  ])('%s', async (what, options, blocker, remedy) => {
    const currency = newCurrency();
    const lp = await autoLp(currency, options);
    // The LP that the order is quoted with.
    await corridor.newLp({ currency, rate: 100 });
    // All events so far have been handled.
    await offersAreMade(corridor.db, lp.id);
    if (blocker) await corridor.db.query(`blocker: ${what}`, blocker, [lp.id]);
    const id = await order(currency);
    await staysOpen(id);
    await remedy(lp, currency)();
    await eventuallyEquals(() => ownerOf(id), lp.id);
    expect(await seen(id)).toMatchObject({ cause: 'auto-claim' });
  });
});

test('an LP with auto-claim on gets the next open order once an order that it releases returns its fiat', async () => {
  const currency = newCurrency();
  const lp = await autoLp(currency);
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/terms`, { currency, float: 1_999 }));
  // The LP that the second order is quoted with.
  await corridor.newLp({ currency, rate: 100, collateral: 500 });
  const first = await order(currency);
  await eventuallyEquals(() => ownerOf(first), lp.id);
  const second = await order(currency);
  await staysOpen(second);
  // All events so far have been handled, so only the release can make offers due.
  await offersAreMade(corridor.db, lp.id);
  await expectStatus(200, lp.release(first));
  await eventuallyEquals(() => ownerOf(second), lp.id);
  expect(await agent.statusOf(first)).toBe('matched');
});

test('an order whose claim deadline has passed when a worker starts is not claimed', async () => {
  const late = await startCorridor({ worker: false });
  try {
    const caller = await late.newAgent();
    const lp = await late.newLp();
    await switchOn(lp);
    const id = await caller.newOrder();
    await passDeadline(late, id);
    await late.startWorker();
    await eventuallyEquals(() => caller.statusOf(id), 'cancelled');
    expect((await late.collateralOf(lp)).locked).toBe(0);
  } finally {
    await late.stop();
  }
});

describe('the configuration', () => {
  test('is refused and not stored while Temporal is unavailable, except for switching off', async () => {
    const [host = '', port = ''] = testEnvironment().temporalAddress.split(':');
    const proxy = await startTcpProxy(host, Number(port));
    const apart = await startCorridor({ temporalAddress: `${proxy.host}:${proxy.port}`, worker: false });
    try {
      const lp = await apart.newLp();
      await switchOn(lp, { max_amount_usd: 5 });
      proxy.cut();
      await eventuallyEquals(async () => (await setUp(lp, { enabled: true })).status, 503);
      const stored = 'select enabled, max_amount_usd::float from lp_auto_claim where lp_id = $1';
      const before = { enabled: true, max_amount_usd: 5 };
      const refused = await setUp(lp, { enabled: true, max_amount_usd: 7 });
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
      expect(await apart.db.query('stored', stored, [lp.id])).not.toContainEqual({
        ...before,
        max_amount_usd: 7,
      });
      expect((await setUp(lp, { enabled: false })).status).toBe(200);
      expect(await apart.db.query('stored', stored, [lp.id])).toMatchObject([{ enabled: false }]);
      proxy.restore();
    } finally {
      await apart.stop();
      await proxy.close();
    }
  });

  test.each([
    ['nothing', {}],
    ['a limit of zero', { enabled: true, max_amount_usd: 0 }],
    ['no currencies at all', { enabled: true, currencies: [] }],
    ['an invalid currency', { enabled: true, currencies: ['shillings'] }],
    ['a word for enabled', { enabled: 'yes' }],
    ['a profit with too many digits', { enabled: true, min_profit_usd: 0.0000001 }],
  ])('is refused with %s', async (_what, terms) => {
    const lp = await corridor.newLp({ collateral: 0 });
    expect(await setUp(lp, terms)).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
  });
});
