import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { beat } from '../../src/db/queries/service-pulse.ts';
import { keepLpStatistics } from '../../src/orders/lp-statistics.ts';
import { type Books, openBooks } from '../support/books.ts';
import { eventually } from '../support/eventually.ts';

/** What the steps and the pulse do where several things happen at once, or late. */
let books: Books;
let lp: number;
beforeAll(async () => {
  books = await openBooks();
  lp = await books.newLp();
  await books.deposit(lp, '1000');
});
afterAll(() => books.db.close());

const claimed = async (): Promise<number> => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  await books.act(draft.id, { trigger: 'claim', lpId: lp, collateral: '10.00', validUntil: 'infinity' });
  return draft.id;
};
const confirmed = async (): Promise<number> => {
  const id = await claimed();
  await books.act(id, { trigger: 'fiatSent', lpId: lp });
  await books.act(id, { trigger: 'confirm' });
  return id;
};
const settle = (id: number, hash: string) =>
  books.act(id, { trigger: 'settle', txHash: hash, txHashGiven: hash });
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;
/** As if its stage had a clock; the books have none. */
const runs = (id: number) =>
  query(`update orders set timeout_at = now() + interval '1 hour' where id = $1`, [id]);
/** As if the service had been away for so long. */
const stopPulse = (minutes: number) =>
  query(
    `insert into service_pulse (beat_at, good_until)
     values (now() - $1 * interval '1 minute', now() - $1 * interval '1 minute' + interval '1 minute')
     on conflict (id) do update set beat_at = excluded.beat_at, good_until = excluded.good_until`,
    [minutes],
  );
const strikes = async (id: number) =>
  (await query('select 1 from lp_strike where order_id = $1', [id])).length;

test('a transaction that an admin accepts in the end pays no other order', async () => {
  const [one, two] = [await confirmed(), await confirmed()];
  for (const hash of ['aa01', 'aa02', 'aa03']) {
    await settle(one, hash);
    const { version } = await books.state(one);
    await books.act(one, { trigger: 'invalid', version, reason: 'It pays too little' });
  }
  expect(await books.state(one)).toMatchObject({ status: 'disputed', txHash: 'aa03' });
  await books.act(one, { trigger: 'resolve', outcome: 'completed', slashUsd: '0.00', txHash: 'aa03' });
  await expect(settle(two, 'aa03')).rejects.toThrow('settle: transaction_used');
  expect((await settle(two, 'aa02')).result).toBe('applied');
});

describe('an LP that gives an order back', () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const age = (id: number, minutes: number) =>
    query(`update order_event set created_at = created_at - $2 * interval '1 minute' where order_id = $1`, [
      id,
      minutes,
    ]);

  test('is struck by when it asked, and not by when that was carried out', async () => {
    const [early, late] = [await claimed(), await claimed()];
    for (const id of [early, late]) await age(id, 10);
    await books.act(early, { trigger: 'release', lpId: lp, freeSince: ago(11) });
    await books.act(late, { trigger: 'release', lpId: lp, freeSince: ago(9) });
    expect([await strikes(early), await strikes(late)]).toEqual([0, 1]);
  });

  test('is not struck when the service was away since its claim', async () => {
    const id = await claimed();
    await age(id, 10);
    await runs(id);
    await stopPulse(5);
    expect(await beat(books.db, 60_000)).toBeGreaterThan(0);
    await books.act(id, { trigger: 'release', lpId: lp, freeSince: ago(2) });
    expect(await strikes(id)).toBe(0);
  });
});

test('an order that ends while an outage is made up for is left as it ends, and counts once', async () => {
  const id = await confirmed();
  await settle(id, 'bb01');
  await runs(id);
  await stopPulse(120);
  const other = await books.db.pool.connect();
  await other.query('begin');
  await other.query('select from orders where id = $1 for update', [id]);
  const beating = beat(books.db, 60_000);
  await eventually(async () => {
    const waiting = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%service_pulse%'`;
    return ((await query(waiting))[0]?.n ?? 0) > 0;
  });
  await other.query(
    `update orders set status = 'completed', version = version + 1, timeout_at = null, completed_at = now() where id = $1`,
    [id],
  );
  await other.query('commit');
  other.release();
  await beating;
  expect(await query('select 1 from order_event where order_id = $1 and cause = $2', [id, 'outage'])).toEqual(
    [],
  );
  expect(await books.state(id)).toMatchObject({ status: 'completed', version: 6, timeoutAt: null });
  await keepLpStatistics(books.db);
});
