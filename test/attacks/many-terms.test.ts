import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { LIST_LIMIT } from '../../src/api/schemas/lp-terms.ts';
import type { Database } from '../../src/db/orm.ts';
import { MAX_TERMS, publishTerms } from '../../src/market/lps/publish-terms.ts';
import { termsWithReasons } from '../../src/market/pricing/unquoted-terms.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** A stranger registers and publishes as many terms as it can: each quote, page of the feed and dashboard may read them. */
const corridor = await useCorridor({ worker: false });

const letter = (n: number) => String.fromCharCode(65 + (n % 26));
const currency = (i: number) => `Z${letter(Math.floor(i / 26))}${letter(i)}`;
const publish = (lp: TestLp, i: number) =>
  lp.call('POST', `/api/lp/${lp.key}/terms`, { currency: currency(i), rate_usd: 2 });
const RATE = { rate_usd: '2', validForMs: 3_600_000 };
const countOf = async (lp: TestLp) =>
  (await corridor.db.pool.query('select count(*)::int from lp_term where lp_id = $1', [lp.id])).rows[0].count;
/** An LP with this many terms. */
async function lpWith(terms: number): Promise<TestLp> {
  const lp = await corridor.newLp({ currency: 'ZZZ', rate: 2, collateral: 0 });
  for (let i = 0; i < terms - 1; i++)
    await publishTerms(corridor.db, { lpId: lp.id, currency: currency(i), method: '*' }, { rate: RATE });
  return lp;
}

test('an LP has terms in at most 200 corridors, however many requests it sends at the same moment', async () => {
  const lp = await lpWith(MAX_TERMS - 5);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => publish(lp, 300 + i)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused[0]).toMatchObject({
    status: 400,
    body: {
      error: {
        fieldErrors: {
          currency: [
            'You have terms in 200 corridors, and an LP may not have more: change those that you have',
          ],
        },
      },
    },
  });
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]));
  expect(await countOf(lp)).toBe(MAX_TERMS);
  // It can change those that it has.
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/terms`, { currency: 'ZZZ', rate_usd: 3 }));
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'ZZZ', rate_usd: 4 }));
  const more = await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'QQQ', rate_usd: 4 });
  expect(more.status).toBe(400);
});

test('an LP has no more if all of its requests count its terms before the first of them ends', async () => {
  const { pool } = corridor.db;
  const lp = await lpWith(MAX_TERMS - 5);
  await pool.query('insert into lp_auto_claim (lp_id, enabled) values ($1, false)', [lp.id]);
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from lp_auto_claim where lp_id = $1 for update', [lp.id]);
    const publishing = Promise.allSettled(
      Array.from({ length: 12 }, (_, i) =>
        publishTerms(
          corridor.shared.db,
          { lpId: lp.id, currency: currency(300 + i), method: '*' },
          { rate: RATE },
        ),
      ),
    );
    await eventuallyEquals(() => countWaiting(pool), 12);
    await holder.query('commit');
    await publishing;
  } finally {
    holder.release();
  }
  expect(await countOf(lp)).toBe(MAX_TERMS);
});

test('an LP registers with at most 50 rates', async () => {
  const register = (count: number) => {
    const rates = Object.fromEntries(Array.from({ length: count }, (_, i) => [currency(i), 2]));
    const body = { xrpl_address: 'rMany', mpesa_phone: '+254700000009', supported_currencies: rates };
    return corridor.anyone('POST', '/api/lp/register', body);
  };
  expect((await register(50)).status).toBe(201);
  for (const count of [51, 676]) {
    const { status, body } = await register(count);
    expect(status).toBe(400);
    expect(Object.keys(body.error.fieldErrors)).toEqual(['supported_currencies']);
  }
});

test('a dashboard reads and compares only the terms that it shows', async () => {
  const lp = await lpWith(60);
  const spread = `update lp_term set updated_at = now() + ascii(substr(currency, 2)) * interval '1 hour'
    + ascii(substr(currency, 3)) * interval '1 minute' where lp_id = $1 and currency <> 'ZZZ'`;
  await corridor.db.pool.query(spread, [lp.id]);
  const read: { name: string; rows: number; asked: number }[] = [];
  const counting: Database = {
    ...corridor.db,
    query: async (name, text, values) => {
      const rows = await corridor.db.query<never>(name, text, values);
      const list = (values as unknown[]).find((value) => Array.isArray(value)) as unknown[] | undefined;
      read.push({ name, rows: rows.length, asked: list?.length ?? 0 });
      return rows;
    },
  };
  const deps = { ...corridor.shared, db: counting, settings: corridor.config };
  const terms = await termsWithReasons(deps, lp.id, { newest: LIST_LIMIT });
  expect(terms.map((one) => one.currency)).toEqual(
    Array.from({ length: LIST_LIMIT }, (_, i) => currency(58 - i)),
  );
  expect(read).toEqual([
    { name: 'lp-newest-terms', rows: LIST_LIMIT, asked: 1 },
    { name: 'lp-rate-reasons', rows: LIST_LIMIT, asked: LIST_LIMIT },
  ]);
  const { rates } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
  expect(rates.map((one: { currency: string }) => one.currency)).toEqual(terms.map((one) => one.currency));
});
