import { afterAll, expect, test } from '@jest/globals';
import { countEndings } from '../../src/operations/statistics/count-endings.ts';
import { orderTotals, totalsPlace } from '../../src/operations/statistics/order-totals.ts';
import { serviceFacts } from '../../src/operations/statistics/service-facts.ts';
import { openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';

const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

/** The totals, computed from the tables. */
async function counted() {
  const { rows } = await books.db.pool.query(`
    select count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'cancelled') as cancelled,
      (select coalesce(sum(amount), 0) from ledger_transfer where credit = 'platform:fees')::float as fees
    from orders`);
  return rows[0];
}
async function reportedTotals() {
  const { completed, cancelled, feesUsd } = await orderTotals(books.db);
  return { completed, cancelled, fees: Number(feesUsd) };
}

async function newOrder(): Promise<number> {
  const order = await books.draft(lp, '1295');
  await books.create(order);
  return order.id;
}
const cancelled = async () => {
  await books.apply(await newOrder(), { trigger: 'cancel', by: 'agent' });
};
async function completed(): Promise<void> {
  const id = await newOrder();
  const validUntil = new Date(Date.now() + 60_000).toISOString();
  await books.apply(id, { trigger: 'claim', lpId: lp, validUntil });
  await books.apply(id, { trigger: 'fiatSent', lpId: lp });
  await books.apply(id, { trigger: 'confirm' });
  const txHash = `hash${id}`;
  await books.apply(id, { trigger: 'settle', txHash, txHashGiven: txHash });
  await books.apply(id, { trigger: 'verified', version: 5, note: null });
}

test('the totals match the tables, however many events have been counted', async () => {
  expect(await reportedTotals()).toEqual({ completed: 0, cancelled: 0, fees: 0 });
  await completed();
  await cancelled();
  await newOrder();
  expect(await reportedTotals()).toEqual({ completed: 1, cancelled: 1, fees: 0.05 });
  // Step by step: each count covers more events, so that the query adds up fewer.
  while ((await countEndings(books.db, 2)) > 0) expect(await reportedTotals()).toEqual(await counted());
  await completed();
  expect(await reportedTotals()).toEqual({ completed: 2, cancelled: 1, fees: 0.1 });
  const { orders } = await serviceFacts(books.db);
  expect(orders).toMatchObject({ matched: 1, claimed: 0, completed: 2, cancelled: 1 });
});

test('concurrent counts count each order once', async () => {
  for (let n = 0; n < 6; n++) await cancelled();
  await Promise.all(Array.from({ length: 8 }, () => countEndings(books.db, 3)));
  expect(await reportedTotals()).toEqual(await counted());
});

test('an event that commits late is counted', async () => {
  const late = await newOrder();
  const client = await books.db.pool.connect();
  try {
    await client.query('begin');
    // A running step, with an earlier feed position than the events that follow.
    await client.query(
      `with o as (update orders set status = 'cancelled', cancelled_at = now(), version = 2 where id = $1 returning *)
       insert into order_event (order_id, seq, from_status, status, actor, cause, snapshot)
       select id, 2, 'matched', 'cancelled', 'admin', 'cancel', to_jsonb(o) from o`,
      [late],
    );
    await cancelled();
    while ((await countEndings(books.db, 100)) > 0);
    const before = await counted();
    expect(await reportedTotals()).toEqual(before);
    await client.query('commit');
    expect(await reportedTotals()).toEqual({ ...before, cancelled: before.cancelled + 1 });
  } finally {
    client.release();
  }
  const end = await totalsPlace(books.db);
  await eventually(async () => {
    await countEndings(books.db, 100);
    return (await totalsPlace(books.db)).xid !== end.xid;
  });
  expect(await reportedTotals()).toEqual(await counted());
});
