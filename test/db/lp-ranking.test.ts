import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/orm.ts';
import { autoClaimsOfOrder } from '../../src/market/lps/auto-claims.ts';
import { bestOffer } from '../../src/market/pricing/best-offer.ts';
import { freshDatabase } from '../support/database.ts';
import { insertAgent, insertLp, insertOrder, insertTerms } from '../support/rows.ts';

const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
const agent = await insertAgent(db);
const orderId = await insertOrder(db, agent);
afterAll(() => db.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const COOL_DOWN = 15 * MINUTE;
/** No rate of a test is an outlier. */
const ANY_RATE = 10_000;
const TOKEN = { symbol: 'usdt', chain: 'trx' };
/** Units of the currency; at a rate of 100 they are 10 USD. */
const AMOUNT = '1000';

interface Candidate {
  status: string;
  tier: number;
  rate: number | null;
  spreadBps: number;
  available: number;
  takesToken: boolean;
  /**
   * Completed orders and failed claims among the last outcomes, the median payout time, and quoted orders that expired
   * unclaimed. Null: none yet.
   */
  record: {
    completed: number;
    failedClaims: number;
    median: number | null;
    unclaimed: number;
    /** Hours until it no longer ranks last; null: it never did. */
    last?: number | null;
  } | null;
  /** Minutes since each strike that no admin forgave. */
  strikes: number[];
  forgiven: number[];
}
const PLAIN: Candidate = {
  status: 'approved',
  tier: 0,
  rate: 100,
  spreadBps: 0,
  available: 1_000,
  takesToken: true,
  record: null,
  strikes: [],
  forgiven: [],
};
interface Placed extends Candidate {
  id: number;
}

async function place(currency: string, candidate: Candidate): Promise<Placed> {
  const id = await insertLp(db, candidate);
  if (candidate.rate !== null) {
    await insertTerms(db, id, currency, candidate.rate);
  }
  if (candidate.takesToken) {
    const sql = `insert into lp_asset (lp_id, symbol, chain, address) values ($1::bigint, 'usdt', 'trx', 'T' || $1::bigint)`;
    await db.pool.query(sql, [id]);
  }
  if (candidate.record) {
    const { completed, failedClaims, median, unclaimed, last = null } = candidate.record;
    await db.pool.query(
      `insert into lp_statistics (lp_id, orders_completed, recent_outcomes, recent_completed, recent_failed_claims,
        recent_quotes, recent_unclaimed, recent_fiat_seconds, median_fiat_seconds, ranks_last_until)
      values ($1, $2, '{}', $2, $3, '{}', $5, '{}', $4, now() + $6 * interval '1 hour')`,
      [id, completed, failedClaims, median, unclaimed, last],
    );
  }
  for (const minutes of candidate.strikes) await strike(id, minutes);
  if (candidate.forgiven.length > 0) {
    const { rows } = await db.pool.query(
      `insert into lp_forgiveness (lp_id, reason) values ($1, 'r') returning id`,
      [id],
    );
    for (const minutes of candidate.forgiven) await strike(id, minutes, rows[0].id);
  }
  return { ...candidate, id };
}

let strikes = 0;
const strike = (lpId: number, minutesAgo: number, forgivenessId: number | null = null) =>
  db.pool.query(
    `insert into lp_strike (order_id, seq, lp_id, forgiveness_id, created_at)
    values ($1, $2, $3, $4, now() - $5 * interval '1 minute')`,
    [orderId, ++strikes, lpId, forgivenessId, minutesAgo],
  );

let currencies = 0;
/** Returns a currency for which no LP of another run has a rate. */
function newCurrency(): string {
  const number = currencies++;
  return [676, 26, 1].map((unit) => String.fromCharCode(65 + (Math.floor(number / unit) % 26))).join('');
}

/** Returns every LP in the order of quotes: removes the best LP until none is left. */
async function quotedInOrder(currency: string): Promise<number[]> {
  const order: number[] = [];
  for (;;) {
    const offer = await bestOffer(
      db,
      { currency, method: 'mobile_money', amount: AMOUNT, ...TOKEN },
      { strikeCoolDown: COOL_DOWN, rateOutlierBps: ANY_RATE },
    );
    if (!offer) return order;
    order.push(offer.lp_id);
    await db.pool.query('delete from lp_term where lp_id = $1 and currency = $2', [offer.lp_id, currency]);
  }
}

/** The documented ranking, written independently of the SQL and in whole numbers. */
const MULTIPLIER_PERCENT = [100, 75, 50, 25, 15];
const cents = (usd: number) => Math.round(usd * 100);
const slice = (lp: Candidate, amountUsdCents: number) =>
  Math.ceil((amountUsdCents * (MULTIPLIER_PERCENT[lp.tier] ?? 0)) / 100);

function isCooling({ strikes: ages }: Candidate): boolean {
  const counting = ages.filter((minutes) => minutes * MINUTE < 30 * DAY);
  const length = Math.min(COOL_DOWN * 2 ** (counting.length - 1), DAY);
  return counting.length > 0 && Math.min(...counting) * MINUTE < length;
}

function better(a: Placed, b: Placed, worthInCents: (lp: Candidate) => number): number {
  const room = (lp: Placed) => Math.min(3, Math.floor(cents(lp.available) / slice(lp, worthInCents(lp))));
  const percent = ({ record }: Placed) => {
    const { completed, failedClaims } = record ?? { completed: 0, failedClaims: 0 };
    return Math.round(((completed + 9) * 100) / (completed + failedClaims + 10));
  };
  const seconds = ({ record }: Placed) => record?.median ?? 600;
  const cost = ({ spreadBps, record }: Placed) => (10_000 + spreadBps) * (100 + (record?.unclaimed ?? 0));
  const last = ({ record }: Placed) => Number((record?.last ?? 0) > 0);
  const price = () => cost(a) * (b.rate ?? 0) - cost(b) * (a.rate ?? 0);
  return (
    last(a) - last(b) ||
    price() ||
    room(b) - room(a) ||
    percent(b) - percent(a) ||
    seconds(a) - seconds(b) ||
    a.id - b.id
  );
}

const candidate: fc.Arbitrary<Candidate> = fc.record({
  status: fc.constantFrom('approved', 'approved', 'approved', 'pending', 'suspended'),
  tier: fc.constantFrom(0, 0, 0, 2, 4),
  rate: fc.constantFrom(80, 100, 100, 125),
  spreadBps: fc.constantFrom(0, 0, 2_500),
  available: fc.constantFrom(0, 1.5, 9.99, 10, 20, 29.99, 30, 500, 5_000),
  takesToken: fc.constantFrom(true, true, true, true, true, false),
  record: fc.option(
    fc.record({
      completed: fc.constantFrom(0, 1, 50, 90, 99, 100),
      failedClaims: fc.constantFrom(0, 0, 1, 10),
      median: fc.constantFrom(null, 30, 599, 600, 601),
      unclaimed: fc.constantFrom(0, 0, 1, 100),
      last: fc.constantFrom(null, null, -1, 1),
    }),
  ),
  // Not close to a boundary, because time passes during the test. Most LPs have none, so that several can be compared.
  strikes: fc.oneof(
    { weight: 3, arbitrary: fc.constant<number[]>([]) },
    fc.array(fc.constantFrom(5, 22, 50, 100, 1_380, 1_500, 20_000, 43_300), { maxLength: 9 }),
  ),
  forgiven: fc.array(fc.constantFrom(1, 10), { maxLength: 1 }),
});

describe('the order of LPs', () => {
  test('in quotes is the documented order, for any LPs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(candidate, { minLength: 2, maxLength: 6 }), async (candidates) => {
        const currency = newCurrency();
        const lps: Placed[] = [];
        for (const one of candidates) lps.push(await place(currency, one));
        const worth = ({ rate }: Candidate) => cents(1_000 / (rate ?? 1));
        const expected = lps
          .filter((lp) => lp.status === 'approved' && !isCooling(lp) && lp.takesToken)
          .filter((lp) => cents(lp.available) >= slice(lp, worth(lp)))
          .sort((a, b) => better(a, b, worth));
        expect(await quotedInOrder(currency)).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });

  test('in auto-claims is the same, after the quoted LP, and a rate above the order’s counts as that', async () => {
    const maybeWithoutRate = fc
      .tuple(candidate, fc.constantFrom(false, false, true))
      .map(([one, bare]) => (bare ? { ...one, rate: null } : one));
    await fc.assert(
      fc.asyncProperty(fc.array(maybeWithoutRate, { minLength: 2, maxLength: 6 }), async (candidates) => {
        const currency = newCurrency();
        const lps: Placed[] = [];
        for (const one of candidates) {
          const lp = await place(currency, one);
          const sql = `insert into lp_auto_claim (lp_id, enabled, currencies, min_profit_usd) values ($1, true, $2, -1000)`;
          await db.pool.query(sql, [lp.id, [currency]]);
          lps.push(lp);
        }
        const quoted = lps.at(-1)?.id ?? 0;
        const id = await insertOrder(db, { ...agent, currency, amountUsd: 10, lpId: quoted });
        const expected = lps
          .filter((lp) => lp.status === 'approved' && !isCooling(lp) && lp.takesToken && lp.rate !== null)
          .filter((lp) => cents(lp.available) >= slice(lp, 1_000))
          .map((lp) => ({ ...lp, rate: Math.min(lp.rate ?? 0, 100) }))
          .sort((a, b) => Number(b.id === quoted) - Number(a.id === quoted) || better(a, b, () => 1_000));
        const claims = await autoClaimsOfOrder(db, id, COOL_DOWN);
        expect(claims.map(({ lpId }) => lpId)).toEqual(expected.map((lp) => lp.id));
        await db.pool.query(`update lp_auto_claim set enabled = false where enabled`);
      }),
      { numRuns: 60 },
    );
  });
});

test('an LP whose quoted orders expired unclaimed loses to a more expensive one that claims', async () => {
  const currency = newCurrency();
  const record = { completed: 0, failedClaims: 0, median: null };
  const tempting = await place(currency, { ...PLAIN, rate: 104, record: { ...record, unclaimed: 5 } });
  const steady = await place(currency, { ...PLAIN, rate: 100, record: { ...record, unclaimed: 0 } });
  expect(await quotedInOrder(currency)).toEqual([steady.id, tempting.id]);
});

test('an LP with a rate that is too good to be quoted is not tried before others in auto-claims', async () => {
  const currency = newCurrency();
  const quoted = await place(currency, PLAIN);
  const liar = await place(currency, { ...PLAIN, rate: 1e9, available: 20 });
  const honest = await place(currency, { ...PLAIN, rate: 100, available: 1_000 });
  const dear = await place(currency, { ...PLAIN, rate: 99, available: 1_000 });
  for (const { id } of [liar, honest, dear])
    await db.pool.query(
      'insert into lp_auto_claim (lp_id, enabled, currencies, min_profit_usd) values ($1, true, $2, -1000)',
      [id, [currency]],
    );
  const id = await insertOrder(db, { ...agent, currency, amountUsd: 10, lpId: quoted.id });
  const claims = await autoClaimsOfOrder(db, id, COOL_DOWN);
  expect(claims.map(({ lpId }) => lpId)).toEqual([honest.id, liar.id, dear.id]);
});

test('an LP that ranks last is quoted after all others, whatever its rate, until the time is over', async () => {
  const currency = newCurrency();
  const record = { completed: 0, failedClaims: 0, median: null, unclaimed: 5 };
  const liar = await place(currency, { ...PLAIN, rate: 1e9, record: { ...record, last: 1 } });
  const over = await place(currency, { ...PLAIN, rate: 150, record: { ...record, last: -0.1 } });
  const dear = await place(currency, { ...PLAIN, rate: 80 });
  expect(await quotedInOrder(currency)).toEqual([over.id, dear.id, liar.id]);
});

describe('of two LPs at the same price', () => {
  const record = (completed: number, failedClaims: number, median: number | null = null) => ({
    record: { completed, failedClaims, median, unclaimed: 0 },
  });
  test.each<[string, Partial<Candidate>, Partial<Candidate>]>([
    [
      'room for three orders beats room for two, whatever the record',
      { available: 30 },
      { available: 29, ...record(100, 0) },
    ],
    [
      'a better record beats more collateral, from three orders on',
      { available: 30, ...record(100, 0) },
      { available: 1e6 },
    ],
    ['an LP with a good record beats a new one', record(30, 1), {}],
    ['a new LP beats one with failed claims', {}, record(8, 2)],
    ['one completed order does not beat a long good record', record(99, 1), record(1, 0, 5)],
    ['one failed claim of a new LP costs less than many', record(0, 1), record(80, 20)],
    ['a faster LP beats a slower one with as good a record', record(50, 0, 60), record(50, 0, 61)],
    ['a fast LP beats one of unknown speed', record(0, 0, 599), {}],
    ['an LP of unknown speed beats a slow one', {}, record(0, 0, 601)],
  ])('%s', async (_what, first, second) => {
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const currency = newCurrency();
      const placed: Placed[] = [];
      for (const one of order) placed.push(await place(currency, { ...PLAIN, ...one }));
      const winner = placed[order.indexOf(first)]?.id;
      expect((await quotedInOrder(currency))[0]).toBe(winner);
    }
  });
});
