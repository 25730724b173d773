import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { collateralForOrder } from '../../src/domain/collateral.ts';
import { decimal } from '../../src/domain/money.ts';
import { highestQuotedRate } from '../../src/domain/rate-outlier.ts';
import { outlierRates } from '../../src/lps/rate-market.ts';
import { bestOffer } from '../../src/pricing/best-offer.ts';
import { freshDatabase } from '../support/database.ts';
import { insertLp, insertTerms } from '../support/rows.ts';

let db: Database;
beforeAll(async () => {
  db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
});
afterAll(() => db.close());

const COOL_DOWN = 900_000;
const AMOUNT = '1000';
interface Candidate {
  status: string;
  rate: number;
  available: number;
  locked: number;
  takesToken: boolean;
}

async function place(currency: string, { rate, locked, takesToken, ...lp }: Candidate): Promise<number> {
  const id = await insertLp(db, lp);
  await db.pool.query('update lp_collateral set locked = $2 where lp_id = $1', [id, locked]);
  await insertTerms(db, id, currency, rate);
  if (takesToken)
    await db.pool.query(
      `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, 'usdt', 'trx', 'T' || $1::bigint)`,
      [id],
    );
  return id;
}

let currencies = 0;
const newCurrency = () =>
  [676, 26, 1].map((unit) => String.fromCharCode(65 + (Math.floor(currencies / unit) % 26))).join('');

const candidate: fc.Arbitrary<Candidate> = fc.record({
  status: fc.constantFrom('approved', 'approved', 'approved', 'approved', 'suspended'),
  rate: fc.constantFrom(50, 96, 98, 100, 100.00000001, 102.9, 105, 105.00000001, 110.25, 200, 1e9),
  available: fc.constantFrom(0, 0.01, 1, 9, 10.5, 11, 50, 500),
  locked: fc.constantFrom(0, 0, 100),
  takesToken: fc.constantFrom(true, true, true, false),
});

/** The rule, written independently of the statement. */
function expected(lps: (Candidate & { id: number })[], bps: number) {
  const approved = lps.filter(({ status }) => status === 'approved');
  const market = approved.map((lp) => ({
    rate: String(lp.rate),
    collateral: decimal(lp.available).add(lp.locked).toString(),
  }));
  const highest = highestQuotedRate(market, bps);
  const covers = (lp: Candidate, rate: number) =>
    decimal(collateralForOrder(decimal(AMOUNT).div(rate).toDecimalPlaces(6, 0).toFixed(), 0)).lte(
      lp.available,
    );
  const able = approved.filter((lp) => lp.takesToken && covers(lp, lp.rate));
  const lowest = Math.min(...able.map(({ rate }) => rate));
  const plausible = able.filter((lp) => (highest ? highest.gte(lp.rate) : covers(lp, lowest)));
  const best = Math.max(...plausible.map(({ rate }) => rate));
  return { highest, best: plausible.length === 0 ? undefined : best };
}

test('the statement quotes and reports exactly by the rule, for any LPs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(candidate, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(1, 500, 1_025),
      async (candidates, bps) => {
        const currency = newCurrency();
        currencies += 1;
        const lps: (Candidate & { id: number })[] = [];
        for (const one of candidates) lps.push({ ...one, id: await place(currency, one) });
        const { highest, best } = expected(lps, bps);
        const token = { symbol: 'usdt', chain: 'trx' };
        const offer = await bestOffer(
          db,
          { currency, corridor_method: 'mobile_money', amount: AMOUNT },
          token,
          COOL_DOWN,
          bps,
        );
        expect(offer && Number(offer.rate_usd)).toBe(best);
        const settings = { rateOutlierBps: bps, strikeCoolDown: COOL_DOWN };
        for (const { id, rate } of lps) {
          const reported = await outlierRates(db, id, [currency, 'ZZZ'], settings);
          const isOutlier = highest?.lt(rate) ?? false;
          expect(reported.map((one) => one.currency)).toEqual(isOutlier ? [currency] : []);
          if (isOutlier) expect(Number(reported[0]?.highest_rate)).toBeLessThan(rate);
        }
      },
    ),
    { numRuns: 120 },
  );
});

test('a reference price replaces the comparison', async () => {
  const currency = newCurrency();
  currencies += 1;
  const plain = { status: 'approved', available: 500, locked: 0, takesToken: true };
  for (const rate of [100, 100, 100]) await place(currency, { ...plain, rate });
  const cheap = await place(currency, { ...plain, rate: 120 });
  const token = { symbol: 'usdt', chain: 'trx' };
  const quoted = async (bps: number | null) =>
    (
      await bestOffer(
        db,
        { currency, corridor_method: 'mobile_money', amount: AMOUNT },
        token,
        COOL_DOWN,
        bps,
      )
    )?.lp_id;
  expect(await quoted(null)).toBe(cheap);
  expect(await quoted(500)).not.toBe(cheap);
});
