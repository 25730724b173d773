import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decideWithdrawal } from '../../src/market/collateral/decide-withdrawal.ts';
import { requestWithdrawal } from '../../src/market/collateral/request-withdrawal.ts';
import { setQuoting } from '../../src/market/lps/publish-terms.ts';
import { refreshLpStatistics } from '../../src/market/lps/refresh-statistics.ts';
import { lpStandings } from '../../src/market/lps/standing.ts';
import { eventually } from '../support/eventually.ts';
import { claimBy, KES, openFloatBooks } from '../support/float-books.ts';

let lp: number;
/** Which orders that were quoted from an LP and expired unclaimed count against it. */
const books = await openFloatBooks();
afterAll(() => books.db.close());
beforeEach(async () => {
  lp = await books.newFloatLp('100000');
});

const AMOUNT = '1295';
const COOL_DOWN = 900_000;
const run = (sql: string, ...values: unknown[]) => books.db.pool.query(sql, values);
const quoted = (amount = AMOUNT) => books.open(lp, amount);

async function expire(orderId: number): Promise<void> {
  const { version } = await books.state(orderId);
  await books.apply(orderId, { trigger: 'deadline', version });
}

const BEHIND = `
  select from order_event e
  where not exists (
    select from feed_cursor c
    where c.reader = 'lp-statistics' and (c.xid, c.order_id, c.seq) >= (e.xid, e.order_id, e.seq)
  )
  limit 1`;
/** How many orders count against the LP. Transactions of other tests hold events back. */
async function counted(): Promise<number | undefined> {
  await eventually(async () => {
    while ((await refreshLpStatistics(books.db, 500, COOL_DOWN)) > 0);
    return (await run(BEHIND)).rowCount === 0;
  });
  return (await lpStandings(books.db, [lp], COOL_DOWN)).get(lp)?.unclaimed_quotes;
}

test('an order that the LP could have claimed counts', async () => {
  await expire(await quoted());
  expect(await counted()).toBe(1);
});

describe('an order that the LP could not claim does not count', () => {
  test('because its float was for one of twenty, and it claimed that', async () => {
    await books.publish(lp, { float: '2000' });
    const orders: number[] = [];
    for (let i = 0; i < 20; i++) orders.push(await quoted());
    const [first = 0, ...others] = orders;
    await books.apply(first, claimBy(lp));
    for (const order of others) await expire(order);
    expect(await counted()).toBe(0);
  });

  test('because its float was used up by an order that it completed', async () => {
    await books.publish(lp, { float: '2000' });
    const [first, second] = [await quoted(), await quoted()];
    await books.apply(first, claimBy(lp));
    await books.apply(first, { trigger: 'dispute', by: 'agent' });
    await books.apply(first, { trigger: 'resolve', outcome: 'completed', slashUsd: '0', txHash: null });
    await expire(second);
    expect(await counted()).toBe(0);
  });

  test.each([
    ['max', { max: '400' }],
    ['min', { min: '5000' }],
    ['float', { float: '400' }],
    // Corridor does not offer it the order then.
    ['quoting', { quoting: false }],
  ])('because it had changed its %s before the payment with a rate lock', async (_, change) => {
    await books.publish(lp, change);
    await run(`update lp_term set narrowed_at = now() - interval '1 second' where lp_id = $1`, lp);
    await expire(await quoted());
    expect(await counted()).toBe(0);
  });

  test('because it has no terms for the corridor, or no address for the token', async () => {
    const [first, second] = [await quoted(), await quoted()];
    await run(`update orders set corridor_method = 'bank_transfer' where id = $1`, first);
    await expire(first);
    expect(await counted()).toBe(0);
    await run('delete from lp_asset where lp_id = $1', lp);
    await expire(second);
    expect(await counted()).toBe(0);
  });

  test('because it was cooling down', async () => {
    const order = await quoted();
    await run('insert into lp_strike (order_id, seq, lp_id) values ($1, 1, $2)', order, lp);
    await expire(order);
    expect(await counted()).toBe(0);
  });

  test('because the agent’s limit had been lowered', async () => {
    const order = await quoted();
    await run(
      'update agent_key set max_exposure_usd = 5 where id = (select agent_key_id from orders where id = $1)',
      order,
    );
    await expire(order);
    expect(await counted()).toBe(0);
    await run('update agent_key set max_exposure_usd = 0');
  });

  test('because the agent’s key had expired', async () => {
    const order = await quoted();
    await run('update agent_key set expires_at = now()');
    await expire(order);
    expect(await counted()).toBe(0);
    await run('update agent_key set expires_at = null');
  });
});

describe('an LP cannot get out of an order by what it changes while the order is open', () => {
  test.each([
    ['lowers its max', { max: '1294.99' }],
    ['raises its min', { min: '1295.01' }],
    ['lowers its float', { float: '1294.99' }],
    ['clears its float', { float: '0' }],
    ['stops quoting', { quoting: false }],
    ['publishes a rate that expires', { rate: { rate_usd: '130', validForMs: 1 } }],
  ])('if it %s', async (_, change) => {
    const order = await quoted();
    await books.publish(lp, change);
    await expire(order);
    expect(await counted()).toBe(1);
  });

  test('if it stops quoting the whole currency, and starts again', async () => {
    const [order, other] = [await quoted(), await quoted()];
    expect(await setQuoting(books.db, lp, KES.currency, false)).toBe(true);
    await expire(order);
    expect(await counted()).toBe(1);
    await setQuoting(books.db, lp, KES.currency, true);
    await expire(other);
    expect(await counted()).toBe(2);
  });

  test('if it limits itself for a moment, whatever it publishes afterwards', async () => {
    const order = await quoted();
    await books.publish(lp, { max: '100' });
    await expire(order);
    await books.publish(lp, { max: null });
    expect(await counted()).toBe(1);
    const other = await quoted();
    await books.publish(lp, { max: '100' });
    await books.publish(lp, { float_low: '5' });
    await expire(other);
    expect(await counted()).toBe(2);
  });

  test('if it withdraws its collateral, unless an admin has returned that', async () => {
    const asked = { amount: '999995', asset: 'usdt', chain: 'trx', address: `T${lp}` } as const;
    const order = await quoted();
    const { withdrawal } = await requestWithdrawal(books.db, lp, asked, null);
    await expire(order);
    expect(await counted()).toBe(1);
    const [later, last] = [await quoted(), await quoted()];
    await expire(later);
    expect(await counted()).toBe(1);
    await decideWithdrawal(books.db, withdrawal.id, { status: 'rejected', tx_hash: null, reason: 'Not now' });
    await expire(last);
    expect(await counted()).toBe(2);
  });
});
