import { afterAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase } from '../../src/db/orm.ts';
import { bestOffer } from '../../src/market/pricing/best-offer.ts';
import { createOfferSearch, type FindOffer, SMALL } from '../../src/market/pricing/offer-search.ts';
import { freshDatabase } from '../support/database.ts';
import { insertAgent, insertOrder } from '../support/rows.ts';

let findOffer: FindOffer;
let strikes = 0;

const SETTINGS = { strikeCoolDown: 900_000, rateOutlierBps: 500 };
/**
 * Corridors with many LPs. Quotes there share a ranking that may be a second old. The offer must still be the one that a single
 * statement finds among all LPs, whatever the LPs have changed since. Only an LP that has become better may have to wait, and a
 * median that has moved.
 */
const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
const anOrder = await insertOrder(db, await insertAgent(db));
afterAll(() => db.close());
beforeEach(() => {
  findOffer = createOfferSearch(db, SETTINGS);
});

const query = async (sql: string, ...values: unknown[]) => (await db.pool.query(sql, values)).rows;

interface Candidate {
  rate: number;
  spreadBps: number;
  available: number;
  tier: number;
  most: number | null;
  completed: number;
  unclaimed: number;
  seconds: number | null;
  takesToken: boolean;
  ranksLast: boolean;
}
/** Few different values, so that many LPs tie. */
const candidate: fc.Arbitrary<Candidate> = fc.record({
  rate: fc.constantFrom(96, 99, 100, 100, 100, 100, 101, 104, 106, 1e9),
  spreadBps: fc.constantFrom(0, 0, 0, 50),
  available: fc.constantFrom(0, 9, 10, 20, 25, 30, 500),
  tier: fc.constantFrom(0, 0, 0, 4),
  most: fc.constantFrom(null, null, 500, 2_000),
  completed: fc.constantFrom(0, 10, 50),
  unclaimed: fc.constantFrom(0, 0, 0, 2),
  seconds: fc.constantFrom(null, 60, 700),
  takesToken: fc.constantFrom(true, true, true, false),
  ranksLast: fc.constantFrom(false, false, false, true),
});
const PLAIN: Candidate = {
  ...{ rate: 100, spreadBps: 0, available: 500, tier: 0, most: null, completed: 0, unclaimed: 0 },
  ...{ seconds: null, takesToken: true, ranksLast: false },
};

/** It has most of the collateral and takes no order, so the median stays its rate, whatever other LPs change. */
const ANCHOR: Candidate = { ...PLAIN, available: 1e8, takesToken: false };

const setReference = (currency: string) =>
  query(`insert into reference_price values ($1, 100, now(), now() + interval '1 hour')`, currency);

let currencies = 0;
/** Inserts LPs with terms in a currency of their own. Returns it with the LPs' ids, in the given order. */
async function place(lps: Candidate[]): Promise<{ currency: string; ids: number[] }> {
  const currency = `Q${String.fromCharCode(65 + Math.floor(currencies / 26), 65 + (currencies++ % 26))}`;
  const inserted = await query(
    `with given as (select * from json_to_recordset($1) as one (n int, rate numeric, "spreadBps" int, available numeric,
      tier int, most numeric, completed int, unclaimed int, seconds int, "takesToken" bool, "ranksLast" bool)),
    person as (insert into app_user (name) values ('lp') returning id),
    made as (
      insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status, tier, spread_bps)
      select sha256(gen_random_uuid()::text::bytea), person.id, 'r', '1', n, 'approved', tier, "spreadBps"
      from given, person order by n returning id, display_name::int as n
    ),
    placed as (select * from made join given using (n)),
    account as (insert into lp_collateral (lp_id, available) select id, available from placed),
    asset as (insert into lp_asset (lp_id, symbol, chain, address)
      select id, 'usdt', 'trx', 'T' || id from placed where "takesToken"),
    record as (insert into lp_statistics (lp_id, orders_completed, recent_outcomes, recent_completed,
        recent_failed_claims, recent_quotes, recent_unclaimed, recent_fiat_seconds, median_fiat_seconds, ranks_last_until)
      select id, completed, '{}', completed, 0, '{}', unclaimed, '{}', seconds,
        now() + case when "ranksLast" then 1 else -1 end * interval '1 hour' from placed),
    term as (insert into lp_term (lp_id, currency, method, rate_usd, valid_until, max_fiat)
      select id, $2, 'mobile_money', rate, now() + interval '1 day', most from placed)
    select id from made order by n`,
    JSON.stringify(lps.map((lp, n) => ({ ...lp, n }))),
    currency,
  );
  return { currency, ids: inserted.map(({ id }) => Number(id)) };
}

const requestOf = (currency: string, amount: number | string) => ({
  ...{ currency, method: 'mobile_money', amount: String(amount), symbol: 'usdt', chain: 'trx' },
});
async function amongAll(currency: string, amount: number) {
  const { of: _, ...offer } = (await bestOffer(db, requestOf(currency, amount), SETTINGS)) ?? { of: 0 };
  return Object.keys(offer).length > 0 ? offer : undefined;
}
/** The first quote finds out that the corridor is large. */
const begin = (currency: string) => findOffer(requestOf(currency, 1));

/** What can end an LP's claim to a quote, or change its place, at any moment. */
const CHANGES = {
  suspension: (id: number) => query(`update lp set status = 'suspended' where id = $1`, id),
  'no more quotes': (id: number) => query('update lp_term set quoting = false where lp_id = $1', id),
  'an expired rate': (id: number) =>
    query(`update lp_term set valid_until = now() - interval '1 second' where lp_id = $1`, id),
  'a float that is used up': (id: number) =>
    query('update lp_term set float_available = 0 where lp_id = $1', id),
  'a removed address': (id: number) => query('delete from lp_asset where lp_id = $1', id),
  'less collateral': (id: number) => query('update lp_collateral set available = 11 where lp_id = $1', id),
  'a strike': (id: number) =>
    query('insert into lp_strike (order_id, seq, lp_id) values ($1, $2, $3)', anOrder, ++strikes, id),
  'an implausible rate': (id: number) => query('update lp_term set rate_usd = 1e6 where lp_id = $1', id),
};
const anyChange = fc.constantFrom(...Object.values(CHANGES));

test('a quote from many LPs is the one of the single statement, whatever the best LPs have just changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(candidate, { minLength: 2 * SMALL, maxLength: 3 * SMALL, size: 'max' }),
      fc.array(fc.record({ amount: fc.constantFrom(400, 1_000, 2_000, 3_000, 60_000), change: anyChange }), {
        minLength: 20,
        maxLength: 40,
        size: 'max',
      }),
      fc.boolean(),
      async (lps, steps, hasReference) => {
        const { currency } = await place([...lps, ANCHOR]);
        if (hasReference) await setReference(currency);
        await begin(currency);
        for (const { amount, change } of steps) {
          const offer = await findOffer(requestOf(currency, amount));
          expect(offer).toEqual(await amongAll(currency, amount));
          if (offer) await change(offer.lp_id);
        }
      },
    ),
    { numRuns: 12 },
  );
});

const many = (count: number): Candidate[] => Array.from({ length: count }, () => PLAIN);

test.each(Object.entries(CHANGES))('%s applies to the next quote', async (_, change) => {
  const { currency, ids } = await place([{ ...PLAIN, rate: 101 }, ...many(2 * SMALL)]);
  await begin(currency);
  const before = await findOffer(requestOf(currency, 5_000));
  expect(before?.lp_id).toBe(ids[0]);
  await change(ids[0] as number);
  const after = await findOffer(requestOf(currency, 5_000));
  expect(after).toMatchObject({ lp_id: ids[1], rate_usd: '100.00000000' });
});

test('an LP far down the ranking is found if none before it takes the order', async () => {
  const { currency, ids } = await place([...many(3 * SMALL), { ...PLAIN, rate: 96, available: 10_000 }]);
  await begin(currency);
  expect((await findOffer(requestOf(currency, 90_000)))?.lp_id).toBe(ids.at(-1));
  expect(await findOffer(requestOf(currency, 99_999_999_999))).toBeUndefined();
});

test('many LPs at one price are ranked by collateral and record, wherever they are in the list', async () => {
  const record = { completed: 50, seconds: 60, available: 30 };
  const { currency, ids } = await place([
    ...many(2 * SMALL).map((lp) => ({ ...lp, ...record })),
    { ...PLAIN, available: 500 },
  ]);
  await begin(currency);
  expect((await findOffer(requestOf(currency, 1_000)))?.lp_id).toBe(ids[0]);
  // The collateral of the others covers one such order, and that of the last LP more than three.
  expect((await findOffer(requestOf(currency, 3_000)))?.lp_id).toBe(ids.at(-1));
});

test('a reference applies from the moment at which it is known, and not after its end', async () => {
  const { currency, ids } = await place([{ ...PLAIN, rate: 109 }, ...many(2 * SMALL)]);
  await begin(currency);
  const quoted = async () => (await findOffer(requestOf(currency, 1_000)))?.lp_id;
  expect(await quoted()).toBe(ids[1]);
  await setReference(currency);
  findOffer = createOfferSearch(db, SETTINGS);
  await begin(currency);
  expect(await quoted()).toBe(ids[0]);
  await query(
    `update reference_price set usable_until = now() - interval '1 second' where currency = $1`,
    currency,
  );
  expect(await quoted()).toBe(ids[1]);
});

test('a corridor that becomes small is quoted by the single statement again', async () => {
  const { currency, ids } = await place(many(2 * SMALL));
  await begin(currency);
  await query('update lp_term set quoting = false where currency = $1 and lp_id > $2', currency, ids[1]);
  await expect(findOffer(requestOf(currency, 1_000))).resolves.toMatchObject({ lp_id: ids[0] });
  await query('update lp_term set quoting = false where lp_id = $1', ids[0]);
  await expect(findOffer(requestOf(currency, 1_000))).resolves.toMatchObject({ lp_id: ids[1] });
});
