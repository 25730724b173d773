import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/orm.ts';
import { refreshLpStatistics } from '../../src/market/lps/refresh-statistics.ts';
import { lpStandings } from '../../src/market/lps/standing.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { insertAbleLp, insertAgent, insertOrder } from '../support/rows.ts';

let lps: number[];
const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
const agent = await insertAgent(db);
afterAll(() => db.close());
beforeEach(async () => {
  lps = [await insertAbleLp(db, 'KES', 'UGX'), await insertAbleLp(db, 'KES', 'UGX')];
  await readAll();
});

/** The ways in which an order can end. */
type End =
  | 'completed'
  | 'extended'
  | 'resolved'
  | 'missed'
  | 'released'
  | 'cancelled'
  | 'under way'
  | 'disputed'
  | 'lost'
  | 'returned'
  | 'unclaimed';
interface Claim {
  lp: 0 | 1;
  end: End;
  seconds: number;
}

type Transition = [from: string | null, to: string, cause: string];
const PAID: Transition[] = [
  ['fiat_sent', 'confirmed', 'confirm'],
  ['confirmed', 'crypto_verify_pending', 'settle'],
];
const ENDS: Record<End, Transition[]> = {
  completed: [
    ['claimed', 'fiat_sent', 'fiatSent'],
    ...PAID,
    ['crypto_verify_pending', 'completed', 'verified'],
  ],
  extended: [
    ['claimed', 'claimed', 'extend'],
    ['claimed', 'fiat_sent', 'fiatSent'],
    ...PAID,
    ['crypto_verify_pending', 'completed', 'verified'],
  ],
  resolved: [
    ['claimed', 'fiat_sent', 'fiatSent'],
    ['fiat_sent', 'disputed', 'deadline'],
    ['disputed', 'completed', 'resolve'],
  ],
  missed: [['claimed', 'matched', 'deadline']],
  released: [['claimed', 'matched', 'release']],
  cancelled: [['claimed', 'cancelled', 'cancel']],
  'under way': [['claimed', 'fiat_sent', 'fiatSent'], ...PAID],
  disputed: [
    ['claimed', 'fiat_sent', 'fiatSent'],
    ['fiat_sent', 'disputed', 'deadline'],
  ],
  // An admin slashed the LP's collateral.
  lost: [
    ['claimed', 'disputed', 'deadline'],
    ['disputed', 'cancelled', 'resolve'],
  ],
  returned: [
    ['claimed', 'disputed', 'deadline'],
    ['disputed', 'cancelled', 'resolve'],
  ],
  // The only end without a claim: the order was quoted from the LP.
  unclaimed: [['matched', 'cancelled', 'deadline']],
};

interface Event {
  orderId: number;
  seq: number;
  transition: Transition;
  lpId: number | null;
  /** Seconds after the order's beginning. */
  at: number;
}
/** The events of an order that one LP claims; the fiat is sent `seconds` after the claim. */
function eventsOf(orderId: number, { lp, end, seconds }: Claim): Event[] {
  const isClaimed = end !== 'unclaimed';
  const story: Transition[] = [[null, 'matched', 'pay']];
  if (isClaimed) story.push(['matched', 'claimed', 'claim']);
  story.push(...ENDS[end]);
  return story.map((transition, i) => ({
    orderId,
    seq: i + 1,
    transition,
    lpId: isClaimed && ['matched', 'cancelled'].includes(transition[1]) ? null : (lps[lp] ?? null),
    at: i < 2 ? i : 1 + (transition[2] === 'extend' ? Math.floor(seconds / 2) : seconds),
  }));
}
/** An order that an admin ended with a slash, if the claim is lost. */
async function insertOrderOf({ end }: Claim): Promise<number> {
  const id = await insertOrder(db, agent);
  if (end === 'lost') await db.pool.query('update orders set slashed_usd = 1 where id = $1', [id]);
  return id;
}
const INSERT = `
  insert into order_event (order_id, seq, from_status, status, actor, cause, snapshot, created_at)
  values ($1, $2, $3, $4, 'service', $5, jsonb_build_object('lp_id', $6::bigint), '2026-01-01'::timestamptz + $7 * interval '1 second')`;
const values = ({ orderId, seq, transition: [from, to, cause], lpId, at }: Event) => [
  ...[orderId, seq, from, to, cause, lpId, at],
];
const record = async (event: Event) => void (await db.pool.query(INSERT, values(event)));

const BEHIND = `
  select from order_event e
  where not exists (
    select from feed_cursor c
    where c.reader = 'lp-statistics' and (c.xid, c.order_id, c.seq) >= (e.xid, e.order_id, e.seq)
  )
  limit 1`;
/** Reads until no event is left. Any open transaction on the server, even of another test, holds events back. */
async function readAll(limit = 500): Promise<void> {
  await eventually(async () => {
    while ((await refreshLpStatistics(db, limit, 0)) > 0);
    return (await db.pool.query(BEHIND)).rowCount === 0;
  });
}

/** The statistics, computed independently of the SQL; `ends` in the order of their events. */
function expected(ends: Claim[]) {
  const done = ends.filter(({ end }) => ['completed', 'extended', 'resolved'].includes(end));
  const outcomes = ends.filter(
    (one) => done.includes(one) || ['missed', 'released', 'lost'].includes(one.end),
  );
  const recent = outcomes.slice(-100);
  const times = done.slice(-100).map(({ seconds }) => seconds);
  times.sort((a, b) => a - b);
  const kept = recent.filter((claim) => done.includes(claim)).length;
  return {
    orders_completed: done.length,
    completion_rate: recent.length === 0 ? null : Number((kept / recent.length).toFixed(4)),
    median_fiat_seconds: times[Math.ceil(times.length / 2) - 1] ?? null,
    unclaimed_quotes: ends.slice(-100).filter(({ end }) => end === 'unclaimed').length,
    strikes: 0,
    cooling_down_until: null,
  };
}
const seen = async () => {
  const standings = await lpStandings(db, lps, 0);
  return lps.map((id) => standings.get(id));
};

const claim: fc.Arbitrary<Claim> = fc.record({
  lp: fc.constantFrom(0, 1),
  end: fc.constantFrom(...(Object.keys(ENDS) as End[])),
  seconds: fc.integer({ min: 0, max: 1_800 }),
});

describe('the statistics', () => {
  test('match the orders, for any batch size and any number of readers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(claim, { maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        async (claims, limit) => {
          lps = [await insertAbleLp(db, 'KES', 'UGX'), await insertAbleLp(db, 'KES', 'UGX')];
          for (const one of claims) {
            for (const event of eventsOf(await insertOrderOf(one), one)) await record(event);
            // Concurrent readers.
            await Promise.all([1, 2, 3].map(() => refreshLpStatistics(db, limit, 0)));
          }
          await readAll(limit);
          const of = (lp: number) => expected(claims.filter((one) => one.lp === lp));
          expect(await seen()).toEqual([of(0), of(1)]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('cover the last hundred outcomes, but count all completed orders', async () => {
    const claims = Array.from({ length: 130 }, (_, i): Claim => {
      return { lp: 0, end: i < 40 || i % 10 === 0 ? 'missed' : 'completed', seconds: i };
    });
    for (const one of claims)
      for (const event of eventsOf(await insertOrder(db, agent), one)) await record(event);
    await readAll();
    const [first, second] = await seen();
    expect(first).toEqual(expected(claims));
    expect(first).toMatchObject({ orders_completed: 81, completion_rate: 0.81 });
    expect(second).toEqual(expected([]));
  });

  test('count an event that commits late, behind events already read', async () => {
    const [slow, quick] = [await insertOrder(db, agent), await insertOrder(db, agent)];
    const connection = await db.pool.connect();
    try {
      await connection.query('begin');
      for (const event of eventsOf(slow, { lp: 0, end: 'completed', seconds: 5 }))
        await connection.query(INSERT, values(event));
      for (const event of eventsOf(quick, { lp: 0, end: 'completed', seconds: 7 })) await record(event);
      await refreshLpStatistics(db, 500, 0);
      await connection.query('commit');
    } finally {
      connection.release();
    }
    await readAll();
    expect((await seen())[0]).toMatchObject({ orders_completed: 2, median_fiat_seconds: 5 });
  });

  test('of an order that a second LP completed have a failed claim for the first', async () => {
    const orderId = await insertOrder(db, agent);
    const first = eventsOf(orderId, { lp: 0, end: 'missed', seconds: 60 });
    const second = eventsOf(orderId, { lp: 1, end: 'completed', seconds: 30 }).slice(1);
    for (const event of first) await record(event);
    for (const event of second) await record({ ...event, seq: event.seq + 2, at: event.at + 100 });
    await readAll();
    expect(await seen()).toMatchObject([
      { orders_completed: 0, completion_rate: 0, median_fiat_seconds: null },
      { orders_completed: 1, completion_rate: 1, median_fiat_seconds: 30 },
    ]);
  });

  test('do not count an unclaimed order that the quoted LP could not have claimed', async () => {
    const expire = async (order: { currency?: string; amountUsd?: number } = {}) => {
      const orderId = await insertOrder(db, { ...agent, ...order });
      for (const event of eventsOf(orderId, { lp: 0, end: 'unclaimed', seconds: 1 })) await record(event);
      await readAll();
      return (await seen())[0]?.unclaimed_quotes;
    };
    const setStatus = (status: string) =>
      db.pool.query('update lp set status = $2 where id = $1', [lps[0], status]);
    expect(await expire({ amountUsd: 1_000.01 })).toBe(0);
    await db.pool.query(`insert into pause (currency, reason) values ('UGX', 'test')`);
    expect(await expire({ currency: 'UGX' })).toBe(0);
    await setStatus('suspended');
    expect(await expire()).toBe(0);
    await setStatus('approved');
    expect(await expire({ amountUsd: 1_000 })).toBe(1);
  });
});
