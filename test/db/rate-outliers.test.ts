import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/orm.ts';
import { collateralForOrder } from '../../src/domain/collateral.ts';
import { decimal } from '../../src/domain/money.ts';
import { isOffReference } from '../../src/domain/rate-check.ts';
import { rateMarket } from '../../src/domain/rate-outlier.ts';
import { rateReasons } from '../../src/market/lps/rate-reasons.ts';
import { bestOffer } from '../../src/market/pricing/best-offer.ts';
import { freshDatabase } from '../support/database.ts';
import { insertLp, insertTerms } from '../support/rows.ts';

const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
afterAll(() => db.close());

const COOL_DOWN = 900_000;
const AMOUNT = '1000';
const TOKEN = { symbol: 'usdt', chain: 'trx' };
const METHODS = ['bank_transfer', 'till'];
interface Candidate {
  status: string;
  /** For mobile money, the method of the order; null: it has no terms for it. */
  rate: number | null;
  /** For the other methods, in turn. */
  others: number[];
  available: number;
  locked: number;
  takesToken: boolean;
  /** Completed orders among the last outcomes. */
  completed: number;
  ranksLast: boolean;
}
type Placed = Candidate & { id: number };

async function place(currency: string, candidate: Candidate): Promise<Placed> {
  const { rate, others, locked, takesToken, completed, ranksLast, ...lp } = candidate;
  const id = await insertLp(db, lp);
  const run = (sql: string, ...values: unknown[]) => db.pool.query(sql, [id, ...values]);
  await run('update lp_collateral set locked = $2 where lp_id = $1', locked);
  if (rate !== null) await insertTerms(db, id, currency, rate);
  for (const [i, one] of others.entries()) await insertTerms(db, id, currency, one, METHODS[i]);
  if (takesToken)
    await run(
      `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, 'usdt', 'trx', 'T' || $1::bigint)`,
    );
  await run(
    `insert into lp_statistics (lp_id, orders_completed, recent_outcomes, recent_completed, recent_failed_claims,
       recent_quotes, recent_unclaimed, recent_fiat_seconds, ranks_last_until)
     values ($1, $2, '{}', $2, 0, '{}', 0, '{}', now() + case when $3 then 1 else -1 end * interval '1 hour')`,
    ...[completed, ranksLast],
  );
  return { ...candidate, id };
}

/** `stale`: the price source's last price is too old. */
const setReference = (currency: string, reference: 'none' | 'stale' | number) =>
  reference === 'none'
    ? undefined
    : db.pool.query(
        `insert into reference_price values ($1, $2, now(), now() + $3 * interval '1 hour')`,
        reference === 'stale' ? [currency, 100, -1] : [currency, reference, 1],
      );

let currencies = 0;
function newCurrency(): string {
  const number = currencies++;
  return [676, 26, 1].map((unit) => String.fromCharCode(65 + (Math.floor(number / unit) % 26))).join('');
}

const quoteIn = (currency: string, rateOutlierBps: number, amount = AMOUNT) =>
  bestOffer(
    db,
    { currency, method: 'mobile_money', amount, ...TOKEN },
    { strikeCoolDown: COOL_DOWN, rateOutlierBps },
  );
/** Why payments do not use the LP's rate for mobile money. */
async function reasonOf(currency: string, lp: Placed, bps: number) {
  const settings = { rateOutlierBps: bps, strikeCoolDown: COOL_DOWN };
  const found = await rateReasons(db, lp.id, [currency, 'ZZZ'], settings);
  return found.find(({ method }) => method === 'mobile_money');
}

const rate = fc.constantFrom(
  50,
  89.99999999,
  90,
  96,
  98,
  100,
  100.00000001,
  102.9,
  105,
  105.00000001,
  110,
  110.25,
  200,
  1e9,
);
const candidate: fc.Arbitrary<Candidate> = fc.record({
  status: fc.constantFrom('approved', 'approved', 'approved', 'approved', 'suspended'),
  rate: fc.option(rate, { nil: null, freq: 6 }),
  others: fc.array(rate, { maxLength: 2 }),
  available: fc.constantFrom(0, 0.01, 1, 9, 10.5, 11, 50, 500),
  locked: fc.constantFrom(0, 0, 100),
  takesToken: fc.constantFrom(true, true, true, false),
  completed: fc.constantFrom(0, 0, 9, 10, 30),
  ranksLast: fc.constantFrom(false, false, false, true),
});

/** The rules, in other words than the statements'. */
function expected(lps: Placed[], reference: string | null, bps: number) {
  const approved = lps.filter(({ status }) => status === 'approved');
  const compared = approved
    .map((lp) => ({ ...lp, rate: lp.rate ?? Math.min(...lp.others), collateral: lp.available + lp.locked }))
    .filter((lp) => Number.isFinite(lp.rate) && lp.collateral > 0);
  const rates = compared.map((lp) => ({ rate: String(lp.rate), collateral: String(lp.collateral) }));
  const market = reference === null ? rateMarket(rates, bps) : undefined;
  const needs = (at: number) =>
    Number(collateralForOrder(decimal(AMOUNT).div(at).toDecimalPlaces(6, 0).toFixed(), 0));
  /** Another LP's rate makes this one doubtful. */
  const isDoubtful = (lp: Placed) =>
    compared.find(
      (other) =>
        other.id !== lp.id &&
        decimal(lp.rate ?? 0).gt(
          decimal(other.rate)
            .mul(10_000 + bps)
            .div(10_000),
        ) &&
        !(lp.completed >= 10 && lp.completed > other.completed),
    );
  const isPlausible = (lp: Placed) => {
    if (reference !== null) return !isOffReference(String(lp.rate), reference);
    if (market) return market.highest.gte(lp.rate ?? 0);
    const other = isDoubtful(lp);
    return !other || other.collateral < needs(other.rate) || lp.available >= needs(other.rate);
  };
  const isPreferred = ({ rate: at }: Placed) =>
    market ? market.preferred.from.lte(at ?? 0) && market.preferred.to.gte(at ?? 0) : false;
  const able = approved.filter((lp) => lp.rate !== null && lp.takesToken && lp.available >= needs(lp.rate));
  const place = (lp: Placed) => [Number(!lp.ranksLast), Number(isPreferred(lp)), lp.rate ?? 0] as const;
  const [best] = able.filter(isPlausible).sort((a, b) => {
    const [one, other] = [place(a), place(b)];
    return other[0] - one[0] || other[1] - one[1] || other[2] - one[2];
  });
  return { best: best?.rate ?? undefined, highest: market?.highest, isPlausible };
}

test('the statements quote and report exactly what the rules say, for any LPs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(candidate, { minLength: 1, maxLength: 8 }),
      fc.constantFrom<('none' | 'stale' | number)[]>('none', 'none', 'stale', 100),
      fc.constantFrom(1, 500, 1_025),
      async (candidates, reference, bps) => {
        const currency = newCurrency();
        await setReference(currency, reference);
        const lps: Placed[] = [];
        for (const one of candidates) lps.push(await place(currency, one));
        const price = typeof reference === 'number' ? String(reference) : null;
        const { best, highest, isPlausible } = expected(lps, price, bps);
        const offer = await quoteIn(currency, bps);
        expect(offer && Number(offer.rate_usd)).toBe(best);
        for (const lp of lps) {
          const reason = await reasonOf(currency, lp, bps);
          if (lp.rate === null) {
            expect(reason).toBeUndefined();
            continue;
          }
          expect(reason?.reference).toBe(price !== null && !isPlausible(lp) ? price : null);
          const isOutlier = highest?.lt(lp.rate) ?? false;
          expect(reason?.highest_rate).toBe(isOutlier ? highest?.toDecimalPlaces(8, 1).toFixed() : null);
          const isDoubted = price === null && !highest && !isPlausible(lp);
          if (isDoubted) {
            expect(Number(reason?.largest_order ?? AMOUNT)).toBeLessThan(Number(AMOUNT));
            expect(Number(reason?.undoubted_rate ?? lp.rate)).toBeLessThan(lp.rate);
          }
          expect(reason?.ranks_last_until != null).toBe(lp.ranksLast);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('whether an order is too large for a doubtful rate, the reason and the quote agree', async () => {
  const amounts = fc.integer({ min: 1, max: 200_000 }).map((cents) => cents / 100);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1, 4),
      fc.integer({ min: 1, max: 200_000 }),
      amounts,
      async (tier, cents, amount) => {
        const currency = newCurrency();
        const plain = {
          status: 'approved',
          others: [],
          locked: 0,
          takesToken: true,
          completed: 0,
          ranksLast: false,
        };
        const lp = await place(currency, { ...plain, rate: 1_000, available: cents / 100 });
        await db.pool.query('update lp set tier = $2 where id = $1', [lp.id, tier]);
        const other = await place(currency, { ...plain, rate: 7, available: 1e6 });
        const { largest_order } = (await reasonOf(currency, lp, 500)) ?? {};
        const largest = Number(largest_order ?? 0);
        for (const asked of [amount, largest, largest + 0.21]) {
          if (asked <= 0) continue;
          const offer = await quoteIn(currency, 500, asked.toFixed(2));
          // The reason may name a few cents of the currency too little.
          if (asked <= largest) expect(offer?.lp_id).toBe(lp.id);
          if (asked > largest + 0.2) expect(offer?.lp_id).toBe(other.id);
        }
      },
    ),
    { numRuns: 60 },
  );
});

describe('a reference price', () => {
  const plain = {
    status: 'approved',
    others: [],
    available: 500,
    locked: 0,
    takesToken: true,
    completed: 0,
    ranksLast: false,
  };

  test('replaces the comparison, and judges every rate again at each quote', async () => {
    const currency = newCurrency();
    const honest: number[] = [];
    for (const rate of [100, 100, 100]) honest.push((await place(currency, { ...plain, rate })).id);
    const cheap = await place(currency, { ...plain, rate: 110 });
    const liar = await place(currency, { ...plain, rate: 1e9 });
    const quoted = async () => (await quoteIn(currency, 500))?.lp_id;
    expect(honest).toContain(await quoted());
    await setReference(currency, 100);
    expect(await quoted()).toBe(cheap.id);
    expect(await reasonOf(currency, liar, 500)).toMatchObject({ reference: '100', highest_rate: null });
    expect(await reasonOf(currency, cheap, 500)).toMatchObject({ reference: null, highest_rate: null });
  });

  test('of any precision takes the largest offset from it, as long as it is usable', async () => {
    const currency = newCurrency();
    await db.pool.query(
      `insert into reference_price values ($1, 0.123456789123, now(), now() + interval '1 hour')`,
      [currency],
    );
    for (const offset of [-1_000, 1_000]) {
      const lp = await place(currency, { ...plain, rate: 1 });
      await db.pool.query('update lp_term set rate_usd = null, offset_bps = $2 where lp_id = $1', [
        lp.id,
        offset,
      ]);
      expect(await quoteIn(currency, 500, '1')).toMatchObject({ lp_id: lp.id });
    }
  });
});
