import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/orm.ts';
import { decimal } from '../../src/domain/money.ts';
import { autoClaimsOfOrder } from '../../src/market/lps/auto-claims.ts';
import { refreshLpStatistics } from '../../src/market/lps/refresh-statistics.ts';
import { bestOffer, type Offer } from '../../src/market/pricing/best-offer.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { insertAgent, insertLp, insertOrder, insertTerms } from '../support/rows.ts';

/**
 * A market of quotes. Honest LPs have auto-claim on and rates within 5 % of each other. Dishonest LPs publish any rates, hold
 * less collateral together than the honest ones, and never claim.
 */
const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
const agent = await insertAgent(db);
afterAll(() => db.close());

const COOL_DOWN = 900_000;
const BPS = 500;
/** An LP that lets so many of the orders that are quoted from it expire ranks last. */
const UNCLAIMED = 5;
/** Orders that are quoted after the dishonest LPs have lost their rank. */
const LATER = 10;

interface Candidate {
  rate: number;
  /** Of another method; the LP of the order's method is compared by `rate`. */
  otherRate?: number | null;
  available: number;
}
const hundredths = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((n) => n / 100);
const usd = fc.integer({ min: 100, max: 2_000 });
const anyHonest = fc.array(fc.record({ rate: hundredths(98, 102), available: usd }), {
  minLength: 3,
  maxLength: 5,
});
/** Anything from a tenth of a percent to a billion, and many rates that are hardly too good to be true. */
const anyDishonest = fc.array(
  fc.record({
    rate: fc.oneof(hundredths(95, 108), fc.constantFrom(0.1, 1, 60, 110, 500, 1e9)),
    otherRate: fc.option(hundredths(1, 200)),
    available: usd,
  }),
  { maxLength: 7 },
);

/** As many as hold less collateral together than the honest ones. */
function minority(dishonest: Candidate[], honest: Candidate[]): Candidate[] {
  let left = honest.reduce((sum, { available }) => sum + available, 0);
  return dishonest.filter(({ available }) => {
    if (available >= left) return false;
    left -= available;
    return true;
  });
}

/** Weighted by collateral. */
function medianOf(lps: Candidate[]): number {
  const half = lps.reduce((sum, { available }) => sum + available, 0) / 2;
  let upTo = 0;
  for (const { rate, available } of [...lps].sort((a, b) => a.rate - b.rate)) {
    upTo += available;
    if (upTo >= half) return rate;
  }
  throw new Error('There are LPs');
}

let currencies = 0;
const newCurrency = () =>
  `M${String.fromCharCode(65 + Math.floor(currencies / 26), 65 + (currencies++ % 26))}`;

async function place(currency: string, { rate, otherRate, available }: Candidate, isHonest: boolean) {
  const id = await insertLp(db, { available });
  const run = (sql: string, ...values: unknown[]) => db.pool.query(sql, values);
  await insertTerms(db, id, currency, rate);
  if (otherRate) await insertTerms(db, id, currency, otherRate, 'bank_transfer');
  await run(
    `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, 'usdt', 'trx', 'T' || $1::bigint)`,
    id,
  );
  if (isHonest)
    await run('insert into lp_auto_claim (lp_id, enabled, currencies) values ($1, true, $2)', id, [currency]);
  return id;
}

/** An order at the quoted rate. */
async function order(
  currency: string,
  { lp_id, rate_usd, spread_bps }: Offer,
  amount: string,
): Promise<number> {
  const amountUsd = decimal(amount).div(rate_usd).toDecimalPlaces(6, 0).toNumber();
  const id = await insertOrder(db, { ...agent, currency, amountUsd, lpId: lp_id });
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

/** Quotes an order, and lets it be claimed automatically, or expire. */
async function trade(currency: string, amount: string) {
  const request = { currency, method: 'mobile_money', amount, symbol: 'usdt', chain: 'trx' };
  const offer = await bestOffer(db, request, { strikeCoolDown: COOL_DOWN, rateOutlierBps: BPS });
  if (!offer) throw new Error('Nobody is quoted');
  const id = await order(currency, offer, amount);
  const [first] = await autoClaimsOfOrder(db, id, COOL_DOWN);
  const { rows } = await db.pool.query('select amount_usd from orders where id = $1', [id]);
  await end(id, offer.lp_id, first?.lpId);
  return {
    quoted: offer.lp_id,
    rate: Number(offer.rate_usd),
    claimedBy: first?.lpId,
    usd: Number(rows[0].amount_usd),
  };
}

test('quotes stay near the honest rates, honest LPs lose nothing, and LPs that never claim lose their rank', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyHonest,
      anyDishonest,
      fc.infiniteStream(fc.integer({ min: 500, max: 5_000 })),
      async (good, all, amounts) => {
        const currency = newCurrency();
        const bad = minority(all, good);
        const honest = new Map<number, number>();
        for (const lp of good) honest.set(await place(currency, lp, true), lp.rate);
        const unclaimed = new Map<number, number>();
        for (const lp of bad) unclaimed.set(await place(currency, lp, false), 0);
        const median = medianOf(good);

        const rounds = bad.length * UNCLAIMED + LATER;
        for (let round = 0; round < rounds; round++) {
          const amount = String(amounts.next().value);
          const { quoted, rate, claimedBy, usd: price } = await trade(currency, amount);
          expect(rate).toBeGreaterThanOrEqual(median * 0.95);
          expect(rate).toBeLessThanOrEqual(median * 1.05);
          if (claimedBy === undefined) unclaimed.set(quoted, (unclaimed.get(quoted) ?? Number.NaN) + 1);
          // What the fiat costs the LP at its own rate is at most what the payer pays.
          else
            expect(
              decimal(amount)
                .div(honest.get(claimedBy) ?? 0)
                .toNumber(),
            ).toBeLessThanOrEqual(price);
          if (round >= rounds - LATER) expect(claimedBy).toBeDefined();
        }

        // No honest LP has left an order, and a dishonest one only as many as cost it its rank.
        for (const count of unclaimed.values()) expect(count).toBeLessThanOrEqual(UNCLAIMED);
        const { rows } = await db.pool.query('select lp_id from lp_statistics where recent_unclaimed > 0');
        expect(rows.map(({ lp_id }) => Number(lp_id)).filter((id) => honest.has(id))).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
});
