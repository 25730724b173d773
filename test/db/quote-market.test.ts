import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { decimal } from '../../src/domain/money.ts';
import { autoClaimsOfOrder } from '../../src/lps/auto-claims.ts';
import { refreshLpStatistics } from '../../src/lps/refresh-statistics.ts';
import { bestOffer, type Offer } from '../../src/pricing/best-offer.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { insertAgent, insertLp, insertOrder, insertTerms } from '../support/rows.ts';

/**
 * A market of quotes. Honest LPs have auto-claim on and their rates near 100. Dishonest LPs publish any rate, hold less
 * collateral together than the honest ones, and never claim.
 */
let db: Database;
let agent: { agentKeyId: number; userId: number };
beforeAll(async () => {
  db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
  agent = await insertAgent(db);
});
afterAll(() => db.close());

const COOL_DOWN = 900_000;
const CURRENCY = 'KES';
const PAYOUT = { currency: CURRENCY, corridor_method: 'mobile_money' };
const HONEST = [99, 99.5, 100, 101].map((rate) => ({ rate, available: 1_000 }));
const DISHONEST = [1e9, 500, 110, 106, 106, 105, 104, 102.5, 60, 1].map((rate) => ({ rate, available: 350 }));
const ROUNDS = 80;

async function place({ rate, available }: { rate: number; available: number }, isHonest: boolean) {
  const id = await insertLp(db, { available });
  const run = (sql: string, ...values: unknown[]) => db.pool.query(sql, values);
  await insertTerms(db, id, CURRENCY, rate);
  await run(
    `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, 'usdt', 'trx', 'T' || $1::bigint)`,
    id,
  );
  if (isHonest) await run('insert into lp_auto_claim (lp_id, enabled) values ($1, true)', id);
  return { id, rate };
}

/** An order at the quoted rate. */
async function order({ lp_id, rate_usd, spread_bps }: Offer, amount: string): Promise<number> {
  const amountUsd = decimal(amount).div(rate_usd).toDecimalPlaces(6, 0).toNumber();
  const id = await insertOrder(db, { ...agent, currency: CURRENCY, amountUsd, lpId: lp_id });
  const sql = 'update orders set amount_fiat = $2, rate_usd = $3, spread_bps = $4 where id = $1';
  await db.pool.query(sql, [id, amount, rate_usd, spread_bps]);
  return id;
}

/** Records how an order ended: claimed by an LP, or expired unclaimed. */
async function end(orderId: number, quoted: number, claimedBy: number | undefined): Promise<void> {
  const [status, cause] = claimedBy ? ['claimed', 'auto-claim'] : ['cancelled', 'deadline'];
  // Takes the order off the market. The statistics read the events only.
  await db.pool.query(`update orders set status = 'cancelled' where id = $1`, [orderId]);
  await db.pool.query(
    `insert into order_event (order_id, seq, from_status, status, actor, cause, snapshot) values
      ($1, 1, null, 'matched', 'agent', 'pay', jsonb_build_object('lp_id', $2::bigint)),
      ($1, 2, 'matched', $3, 'service', $4, jsonb_build_object('lp_id', $5::bigint))`,
    [orderId, quoted, status, cause, claimedBy ?? quoted],
  );
  // Any open transaction on the server, even of another test, holds events back.
  let read = 0;
  await eventually(async () => {
    read += await refreshLpStatistics(db, 100, COOL_DOWN);
    return read === 2;
  });
}

test('quotes stay near the honest rates, honest LPs lose nothing, and LPs that never claim lose their rank', async () => {
  const honest = new Map<number, number>();
  for (const lp of HONEST) {
    const { id, rate } = await place(lp, true);
    honest.set(id, rate);
  }
  const dishonest = new Set<number>();
  for (const lp of DISHONEST) dishonest.add((await place(lp, false)).id);

  const quoted: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const amount = String(500 + ((round * 377) % 4_500));
    const token = { symbol: 'usdt', chain: 'trx' };
    const offer = await bestOffer(db, { ...PAYOUT, amount }, token, COOL_DOWN, 500);
    if (!offer) throw new Error('Nobody is quoted');
    quoted.push(offer.lp_id);
    expect(Number(offer.rate_usd)).toBeGreaterThanOrEqual(99);
    expect(Number(offer.rate_usd)).toBeLessThanOrEqual(101 * 1.05);

    const id = await order(offer, amount);
    const [first] = await autoClaimsOfOrder(db, id, COOL_DOWN);
    const { rows } = await db.pool.query('select amount_usd from orders where id = $1', [id]);
    if (first) {
      // What the fiat costs the LP at its own rate is at most what the payer pays.
      const cost = decimal(amount).div(honest.get(first.lpId) ?? 0);
      expect(cost.toNumber()).toBeLessThanOrEqual(Number(rows[0].amount_usd));
    }
    await end(id, offer.lp_id, first?.lpId);
  }

  // The dishonest ones with a plausible rate are quoted first, until their unclaimed orders have cost them their rank.
  expect(quoted.some((id) => dishonest.has(id))).toBe(true);
  expect(quoted.slice(-20).filter((id) => dishonest.has(id))).toEqual([]);
  const { rows } = await db.pool.query('select lp_id from lp_statistics where recent_unclaimed > 0');
  expect(rows.map(({ lp_id }) => Number(lp_id)).filter((id) => honest.has(id))).toEqual([]);
});
