import { afterAll, describe, expect, test } from '@jest/globals';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import { refreshLpStatistics } from '../../src/market/lps/refresh-statistics.ts';
import { countNewEvents } from '../../src/operations/upkeep/jobs/count-events.ts';
import { recordVerdict } from '../../src/orders/record-verdict.ts';
import { recordHeartbeatAndShiftDeadlines } from '../../src/orders/steps/shift-deadlines.ts';
import { openBooks } from '../support/books.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventually } from '../support/eventually.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** Steps and service heartbeats that run late or concurrently. */
const books = await openBooks();
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

const claimed = async (): Promise<number> => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  await books.apply(draft.id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
  return draft.id;
};
const confirmed = async (): Promise<number> => {
  const id = await claimed();
  await books.apply(id, { trigger: 'fiatSent', lpId: lp });
  await books.apply(id, { trigger: 'confirm' });
  return id;
};
const settle = (id: number, hash: string) =>
  books.apply(id, { trigger: 'settle', txHash: hash, txHashGiven: hash });
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;
/** Gives the order's stage a deadline, because the books set none. */
const runs = (id: number) =>
  query(`update orders set timeout_at = now() + interval '1 hour' where id = $1`, [id]);
/** Makes the service appear unavailable for this long. */
const stopHeartbeat = (minutes: number) =>
  query(
    `insert into service_heartbeat (recorded_at, good_until)
     values (now() - $1 * interval '1 minute', now() - $1 * interval '1 minute' + interval '1 minute')
     on conflict (id) do update set recorded_at = excluded.recorded_at, good_until = excluded.good_until`,
    [minutes],
  );
const strikes = async (id: number) =>
  (await query('select 1 from lp_strike where order_id = $1', [id])).length;

test('a transaction that an admin accepts in a resolution pays no other order', async () => {
  const [one, two] = [await confirmed(), await confirmed()];
  for (const hash of ['aa01', 'aa02', 'aa03']) {
    await settle(one, hash);
    const { version } = await books.state(one);
    await books.apply(one, { trigger: 'invalid', version, reason: reasonOf('other_address') });
  }
  expect(await books.state(one)).toMatchObject({ status: 'disputed', txHash: 'aa03' });
  await books.apply(one, { trigger: 'resolve', outcome: 'completed', slashUsd: '0.00', txHash: 'aa03' });
  await settle(two, 'aa03');
  expect(await books.check(two, 'verified')).toBe('transaction_used');
  const { version } = await books.state(two);
  const complete = () => books.apply(two, { trigger: 'verified', version, note: null });
  await expect(complete()).rejects.toThrow('verified: no_verdict');
  await books.apply(two, { trigger: 'invalid', version, reason: reasonOf('other_address') });
  await settle(two, 'aa02');
  await books.apply(two, { trigger: 'verified', version: version + 2, note: null });
});

test('a verified transaction that is reserved for another order completes nothing', async () => {
  const [one, two] = [await confirmed(), await confirmed()];
  for (const id of [one, two]) await settle(id, 'aa04');
  expect(await books.check(one, 'verified')).toBe('recorded');
  const { version } = await books.state(two);
  await expect(books.apply(two, { trigger: 'verified', version, note: null })).rejects.toThrow('no_verdict');
  expect(await books.state(two)).toMatchObject({ status: 'crypto_verify_pending', version });
  await books.apply(one, { trigger: 'verified', version, note: null });
});

test('a check that ends after the order has moved on records and reserves nothing', async () => {
  const id = await confirmed();
  await settle(id, 'aa11');
  const { version } = await books.state(id);
  const late = { orderId: id, version, chain: 'trx', txHash: 'aa11' };
  const verdict = { kind: 'verified', paid: '1', note: null } as const;
  await runs(id);
  await books.apply(id, { trigger: 'freeze' });
  expect(await recordVerdict(books.db, late, verdict)).toBe('superseded');
  expect(await recordVerdict(books.db, { ...late, chain: 'eth', version: version + 1 }, verdict)).toBe(
    'superseded',
  );
  expect(await query('select 1 from payment_verdict where order_id = $1', [id])).toEqual([]);
  expect(await query('select 1 from chain_transaction where order_id = $1', [id])).toEqual([]);

  await books.apply(id, { trigger: 'unfreeze' });
  await books.apply(id, { trigger: 'verified', version: version + 2, note: null });
  expect(await recordVerdict(books.db, { ...late, version: version + 3 }, verdict)).toBe('superseded');
});

test('a final verdict stays, and the same verdict again changes nothing', async () => {
  const id = await confirmed();
  await settle(id, 'aa12');
  const kinds = ['not_found', 'pending', 'not_found', 'verified', 'verified', 'invalid', 'pending'] as const;
  const results: string[] = [];
  for (const kind of kinds) results.push(await books.check(id, kind));
  expect(results).toEqual([...Array(5).fill('recorded'), 'superseded', 'superseded']);
  expect(await query('select kind from payment_verdict where order_id = $1', [id])).toEqual([
    { kind: 'verified' },
  ]);
});

describe('an LP that releases an order', () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const age = (id: number, minutes: number) =>
    editEvents(
      books.db.pool,
      `update order_event set created_at = created_at - $2 * interval '1 minute' where order_id = $1`,
      [id, minutes],
    );

  test('gets a strike by the time of its request, and not by that of the step', async () => {
    const [early, late] = [await claimed(), await claimed()];
    for (const id of [early, late]) await age(id, 10);
    await books.apply(early, { trigger: 'release', lpId: lp, freeSince: ago(11) });
    await books.apply(late, { trigger: 'release', lpId: lp, freeSince: ago(9) });
    expect([await strikes(early), await strikes(late)]).toEqual([0, 1]);
  });

  test('gets no strike if the service was away since its claim', async () => {
    const id = await claimed();
    await age(id, 10);
    await runs(id);
    await stopHeartbeat(5);
    expect(await recordHeartbeatAndShiftDeadlines(books.db, 60_000)).toBeGreaterThan(0);
    await books.apply(id, { trigger: 'release', lpId: lp, freeSince: ago(2) });
    expect(await strikes(id)).toBe(0);
  });
});

test('an order that ends while a heartbeat shifts deadlines stays ended, and counts once', async () => {
  const id = await confirmed();
  await settle(id, 'bb01');
  await runs(id);
  await stopHeartbeat(120);
  const other = await books.db.pool.connect();
  await other.query('begin');
  await other.query('select from orders where id = $1 for update', [id]);
  const withHeartbeat = recordHeartbeatAndShiftDeadlines(books.db, 60_000);
  await eventually(() => countWaiting(books.db.pool, 'service_heartbeat'));
  await other.query(
    `update orders set status = 'completed', version = version + 1, timeout_at = null, completed_at = now() where id = $1`,
    [id],
  );
  await other.query('commit');
  other.release();
  await withHeartbeat;
  expect(await query('select 1 from order_event where order_id = $1 and cause = $2', [id, 'outage'])).toEqual(
    [],
  );
  expect(await books.state(id)).toMatchObject({ status: 'completed', version: 6, timeoutAt: null });
  await countNewEvents(books.db, (db, limit) => refreshLpStatistics(db, limit, 0));
});
