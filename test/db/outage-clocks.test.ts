import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { ADVISORY_LOCKS } from '../../src/db/advisory-locks.ts';
import type { OrderStatus } from '../../src/domain/order-state.ts';
import { isAfterOutage, recordHeartbeatAndShiftDeadlines } from '../../src/orders/steps/shift-deadlines.ts';
import { openClocks, STAGE_DAYS } from '../support/clocks.ts';
import { failingAfter } from '../support/failing-database.ts';

/** The clocks of orders after an outage, by days: their deadlines move in turn, one with each statement. */
const clocks = await openClocks();
afterAll(() => clocks.books.db.close());
afterEach(async () => {
  await endOutage();
  await clocks.query(
    `update orders set status = 'cancelled', timeout_at = null where status not in ('completed', 'cancelled')`,
  );
});

const isAway = () => isAfterOutage(clocks.books.db);
/** A worker's heartbeat. The tolerated gap is longer than a test, and shorter than a day. */
const heartbeat = (db = clocks.books.db, most = 1) =>
  recordHeartbeatAndShiftDeadlines(db, 3_600_000, { most });
/** A worker crashes after it has moved so many deadlines. */
const crashAfter = (moved: number) =>
  expect(heartbeat(failingAfter(clocks.books.db, 'service-shift-deadlines', moved))).rejects.toThrow(
    'The connection is lost',
  );
const endOutage = async () => {
  await heartbeat();
  expect(await isAway()).toBe(false);
};
const moves = async (id: number) =>
  (await clocks.query(`select from order_event where order_id = $1 and cause = 'outage'`, [id])).length;
const ordersIn = async (...statuses: OrderStatus[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const status of statuses) ids.push(await clocks.orderIn(status));
  return ids;
};
const left = (ids: number[]) => Promise.all(ids.map(clocks.left));
const afterOutageOf = async (days: number) => {
  await clocks.query('delete from service_heartbeat');
  await clocks.beginOutage();
  await clocks.pass(days);
};

describe('a worker that crashes after half of the deadlines', () => {
  test('leaves the rest to the next heartbeat, which moves no deadline twice', async () => {
    const ids = await ordersIn('matched', 'claimed', 'fiat_sent', 'confirmed');
    await afterOutageOf(300);
    await crashAfter(2);
    expect(await left(ids)).toEqual([STAGE_DAYS, STAGE_DAYS, STAGE_DAYS - 300, STAGE_DAYS - 300]);
    expect(await heartbeat()).toBe(2);
    expect(await Promise.all(ids.map(moves))).toEqual([1, 1, 1, 1]);
    expect(await left(ids)).toEqual(ids.map(() => STAGE_DAYS));
    expect(await isAway()).toBe(false);
    expect(await heartbeat()).toBe(0);
  });

  test('lets no deadline expire in between', async () => {
    const ids = await ordersIn('claimed', 'claimed');
    await afterOutageOf(STAGE_DAYS + 10);
    await crashAfter(1);
    expect(await isAway()).toBe(true);
    // The first order's clock runs again, and its deadline waits for the end all the same.
    await clocks.query(
      `update orders set timeout_at = now() - interval '1 second', deadline_set_at = now() - interval '2 seconds' where id = $1`,
      [ids[0]],
    );
    for (const id of ids) expect(await clocks.expire('reofferOrder', id)).toBe('clock_stopped');
    await clocks.query(`update orders set deadline_set_at = now() where id = $1`, [ids[0]]);
    await endOutage();
    expect(await clocks.left(ids[1] as number)).toBe(STAGE_DAYS);
    expect(await clocks.expire('reofferOrder', ids[0] as number)).toBe('applied');
  });

  test('and a second outage before the rest has moved: each order gets back what it lost in both', async () => {
    const ids = await ordersIn('matched', 'claimed', 'confirmed');
    await clocks.pass(5);
    await afterOutageOf(300);
    await crashAfter(1);
    const [during] = await ordersIn('claimed');
    await clocks.beginOutage();
    await clocks.pass(40);
    await crashAfter(2);
    expect(await left(ids)).toEqual([STAGE_DAYS - 5, STAGE_DAYS - 5, STAGE_DAYS - 345]);
    await endOutage();
    expect(await left([...ids, during as number])).toEqual([...ids.map(() => STAGE_DAYS - 5), STAGE_DAYS]);
    expect(await Promise.all(ids.map(moves))).toEqual([2, 1, 1]);
  });
});

test('several workers that record the heartbeat at the same time move each deadline once', async () => {
  const ids = await ordersIn(...Array<OrderStatus>(12).fill('claimed'));
  await afterOutageOf(300);
  let moved = 0;
  for (let round = 0; (await isAway()) && round < 100; round++) {
    const workers = await Promise.all([1, 2, 3, 4].map((most) => heartbeat(clocks.books.db, most)));
    moved += workers.reduce((sum, one) => sum + one, 0);
  }
  expect(moved).toBe(ids.length);
  expect(await Promise.all(ids.map(moves))).toEqual(ids.map(() => 1));
  expect(await left(ids)).toEqual(ids.map(() => STAGE_DAYS));
});

test('a worker that finds another one at it ends nothing', async () => {
  const [id] = await ordersIn('claimed');
  await afterOutageOf(300);
  const other = await clocks.books.db.pool.connect();
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.shiftDeadlines]);
  expect(await heartbeat()).toBe(0);
  expect(await isAway()).toBe(true);
  await other.query('rollback');
  other.release();
  expect(await heartbeat()).toBe(1);
  expect(await clocks.left(id as number)).toBe(STAGE_DAYS);
});

test('a worker that stops leaves the rest to another one', async () => {
  const ids = await ordersIn('claimed', 'claimed');
  await afterOutageOf(300);
  let turns = 0;
  const isStopping = () => ++turns > 1;
  expect(await recordHeartbeatAndShiftDeadlines(clocks.books.db, 3_600_000, { most: 1, isStopping })).toBe(1);
  expect(await heartbeat()).toBe(1);
  expect(await left(ids)).toEqual([STAGE_DAYS, STAGE_DAYS]);
});

describe('between two statements, an order whose deadline has not moved yet', () => {
  /** An order whose turn has not come, `days` after its deadline would have passed. */
  const waiting = async (status: OrderStatus, days: number): Promise<number> => {
    const ids = await ordersIn('matched', status);
    await clocks.pass(100);
    await afterOutageOf(STAGE_DAYS - 100 + days);
    await crashAfter(1);
    return ids[1] as number;
  };

  test('keeps the time that it has when it is frozen', async () => {
    const id = await waiting('claimed', 50);
    expect(await clocks.take('freeze', id, { trigger: 'freeze' })).toBe('applied');
    await endOutage();
    expect(await moves(id)).toBe(0);
    expect(await clocks.take('unfreeze', id, { trigger: 'unfreeze' })).toBe('applied');
    expect(await clocks.left(id)).toBe(STAGE_DAYS - 100);
  });

  test('can be given more time, and no extension takes any', async () => {
    const id = await waiting('claimed', 50);
    const extend = (days: number) =>
      clocks.take('extendDeadline', id, {
        trigger: 'extend',
        until: new Date(Date.now() + days * 86_400_000).toISOString(),
      });
    expect(await extend(STAGE_DAYS - 105)).toBe('not_an_extension');
    expect(await extend(STAGE_DAYS)).toBe('applied');
    await endOutage();
    expect(await clocks.left(id)).toBe(STAGE_DAYS);
    expect(await moves(id)).toBe(0);
  });

  test('costs its LP no strike when the LP releases it', async () => {
    const id = await waiting('claimed', 50);
    const freeSince = new Date(Date.now() + 60_000).toISOString();
    const release = { trigger: 'release', lpId: clocks.lp, freeSince } as const;
    expect(await clocks.take('reofferOrder', id, release)).toBe('applied');
    expect(await clocks.query('select from lp_strike where order_id = $1', [id])).toEqual([]);
  });

  test('begins a new stage with its whole time', async () => {
    const id = await waiting('claimed', 50);
    expect(await clocks.take('markFiatSent', id, { trigger: 'fiatSent', lpId: clocks.lp })).toBe('applied');
    await endOutage();
    expect(await clocks.left(id)).toBe(STAGE_DAYS);
    expect(await moves(id)).toBe(0);
  });

  test('moves in its turn after a step that keeps its deadline', async () => {
    const id = await waiting('crypto_verify_pending', 50);
    const again = { trigger: 'retryVerification', txHash: 'ab', txHashGiven: 'ab' } as const;
    expect(await clocks.take('retryVerification', id, again)).toBe('applied');
    await endOutage();
    expect(await clocks.left(id)).toBe(STAGE_DAYS - 100);
    expect(await moves(id)).toBe(1);
  });
});

test('an order that is created between two statements does not move', async () => {
  await ordersIn('matched', 'matched');
  await afterOutageOf(300);
  await crashAfter(1);
  const [id] = await ordersIn('matched');
  await endOutage();
  expect(await moves(id as number)).toBe(0);
  expect(await clocks.left(id as number)).toBe(STAGE_DAYS);
});
