import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/orm.ts';
import { areReferencePricesDue, storeReferencePrices } from '../../src/market/pricing/reference-prices.ts';
import { freshDatabase } from '../support/database.ts';
import { insertLp, insertTerms } from '../support/rows.ts';

/** The reference prices of rates with an offset. */
const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
afterAll(() => db.close());
beforeEach(() => db.pool.query('truncate reference_price'));

const run = async (sql: string, ...values: unknown[]) => (await db.pool.query(sql, values)).rows;
const MINUTE = 60_000;
const START = Date.now();
/** Stores prices of this many minutes after the start. They are usable for five minutes. */
const store = (minutes: number, prices: Record<string, string>) => {
  const asOf = START + minutes * MINUTE;
  const perUsd = new Map(Object.entries(prices));
  return storeReferencePrices(db, { asOf, usableUntil: asOf + 5 * MINUTE, cryptoUsd: new Map(), perUsd });
};
const stored = async () =>
  Object.fromEntries(
    (await run('select currency, per_usd::float from reference_price')).map((row) => [
      row.currency,
      row.per_usd,
    ]),
  );

/** An LP with auto-claim whose rate is a basis point above the price. */
async function follower(currency: string): Promise<number> {
  const id = await insertLp(db);
  await insertTerms(db, id, currency, 1);
  await run('update lp_term set rate_usd = null, offset_bps = 1 where lp_id = $1', id);
  await run('insert into lp_auto_claim (lp_id, enabled) values ($1, true)', id);
  return id;
}
const offersAreDue = async (lpId: number) => {
  const [row] = await run(
    'update lp_auto_claim set offers_due_at = null where lp_id = $1 returning old.offers_due_at is not null as due',
    lpId,
  );
  return row.due;
};

test('newer prices replace older ones, and never the reverse', async () => {
  await store(2, { KES: '129.5', UGX: '3700' });
  await store(1, { KES: '100', TZS: '2500' });
  expect(await stored()).toEqual({ KES: 129.5, UGX: 3_700, TZS: 2_500 });
  await store(3, { KES: '0.000000000000000001' });
  await store(3, { KES: '7' });
  expect(await stored()).toEqual({ KES: 1e-18, UGX: 3_700, TZS: 2_500 });
  await store(4, { KES: '999999999999999999.999999999999999999' });
  expect((await stored()).KES).toBe(1e18);
});

test('the feed receives each change', async () => {
  const place = async () => (await run('select changed::text from reference_price'))[0].changed;
  await store(1, { KES: '129.5' });
  const first = await place();
  await store(1, { KES: '130' });
  expect(await place()).toBe(first);
  await store(2, { KES: '129.5' });
  expect(BigInt(await place())).toBeGreaterThan(BigInt(first));
});

test('invalid currencies are ignored', async () => {
  await store(0, { KESX: '1', 'X\0X': '1', kes: '1', '': '1', ÄÖÜ: '1', GHS: '12' });
  expect(await stored()).toEqual({ GHS: 12 });
  await store(1, {});
  expect(await stored()).toEqual({ GHS: 12 });
});

test('the newest prices of many concurrent processes remain', async () => {
  const names = Array.from({ length: 26 }, (_, i) => `XX${String.fromCharCode(65 + i)}`);
  const at = Array.from({ length: 40 }, (_, i) => i);
  await Promise.all(
    at
      .toSorted((a, b) => ((a * 17) % 40) - ((b * 17) % 40))
      .map((minute) => {
        const order = minute % 2 === 0 ? names : names.toReversed();
        return store(minute, Object.fromEntries(order.map((name) => [name, String(minute + 1)])));
      }),
  );
  expect(new Set(Object.values(await stored()))).toEqual(new Set([40]));
});

test('open orders are offered again to LPs whose rate has become known or higher', async () => {
  const [kes, ugx] = [await follower('KES'), await follower('UGX')];
  await store(0, { KES: '100' });
  expect([await offersAreDue(kes), await offersAreDue(ugx)]).toEqual([true, false]);
  await store(1, { KES: '100', UGX: '3700' });
  expect([await offersAreDue(kes), await offersAreDue(ugx)]).toEqual([false, true]);
  await store(2, { KES: '99', UGX: '3701' });
  expect([await offersAreDue(kes), await offersAreDue(ugx)]).toEqual([false, true]);
  await run(
    `update reference_price set usable_until = date_trunc('milliseconds', now()) where currency = 'KES'`,
  );
  await store(3, { KES: '98', UGX: '3701' });
  expect([await offersAreDue(kes), await offersAreDue(ugx)]).toEqual([true, false]);
  await store(2, { KES: '200' });
  expect(await offersAreDue(kes)).toBe(false);
});

test('prices are due while an LP needs them and they are soon too old', async () => {
  await run('update lp_term set quoting = false');
  expect(await areReferencePricesDue(db, MINUTE)).toBe(false);
  const lp = await follower('GHS');
  expect(await areReferencePricesDue(db, MINUTE)).toBe(true);
  await store(0, { GHS: '12' });
  expect(await areReferencePricesDue(db, MINUTE)).toBe(false);
  expect(await areReferencePricesDue(db, 6 * MINUTE)).toBe(true);
  for (const change of ['quoting = false', `quoting = true, valid_until = 'yesterday'`]) {
    await run(`update lp_term set ${change} where lp_id = $1`, lp);
    expect(await areReferencePricesDue(db, 6 * MINUTE)).toBe(false);
  }
  await run(
    `update lp_term set valid_until = 'infinity', offset_bps = null, rate_usd = 1 where lp_id = $1`,
    lp,
  );
  expect(await areReferencePricesDue(db, 6 * MINUTE)).toBe(false);
});
