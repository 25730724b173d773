import { migrate } from '../../../src/db/migrate.ts';
import { lpsNow } from '../../../src/market/lps/approval.ts';
import { publishTerms } from '../../../src/market/lps/publish-terms.ts';
import { createOfferSearch, type FindOffer } from '../../../src/market/pricing/offer-search.ts';
import type { NewOrder } from '../../../src/orders/new-order.ts';
import { performStep } from '../../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../../src/orders/steps/shared/step.ts';
import { type Books, openBooks } from '../../../test/support/books.ts';
import { newDatabase, startOwnPostgres } from '../../databases.ts';
import { STAGES, type Stage, stepInput } from '../../stages.ts';
import { type Figures, msOfEach, percentiles, type Scenario } from '../scenario.ts';

const [CLAIM] = STAGES as readonly [Stage, ...Stage[]];
/** The first executions make plans and are not counted. */
const WARM = 40;
/** The default of `RATE_OUTLIER_BPS`. */
const OUTLIER_BPS = 500;
const AMOUNT = '6475';
const QUOTED = { currency: 'KES', method: 'mobile_money' };
const REQUEST = { ...QUOTED, amount: AMOUNT, symbol: 'usdt', chain: 'trx' };
const COUNTS = [10, 100, 1_000];

export const TERMS: Scenario = {
  question:
    'How do the terms of many LPs, each in all corridors, slow down a quote, the feed, and a claim of an LP with a float?',
  sizes: { 'most LPs': 1_000, corridors: 50, calls: 400 },
  rounds: 1,
  warms: false,
  async start({ cleanup, size }) {
    const postgresUrl = await startOwnPostgres(cleanup);
    const measureWith = (count: number) => async () => {
      const url = await newDatabase(postgresUrl);
      await migrate({ url, debug: () => undefined });
      const books = await openBooks(url);
      try {
        return await measure(books, await seed(books, count, size('corridors')), size('calls'));
      } finally {
        await books.db.close();
      }
    };
    const counts = COUNTS.filter((count) => count <= size('most LPs'));
    return Object.fromEntries(counts.map((count) => [`${count} LPs`, measureWith(count)]));
  },
};

/** The first LP has terms with a float in the corridor that is quoted; the others are copies with other rates. */
async function seed(books: Books, size: number, corridors: number): Promise<number[]> {
  const first = await books.newLp();
  await books.deposit(first, '100000000');
  const query = async (sql: string, given: unknown[]) => (await books.db.pool.query(sql, given)).rows;
  const others = await query(
    `insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status, tier)
     select uuid_send(gen_random_uuid()), user_id, xrpl_address, mpesa_phone, 'LP ' || n, status, n % 5
     from lp, generate_series(2, $2) n where id = $1 returning id`,
    [first, size],
  );
  await query('insert into lp_collateral (lp_id, available) select id, 100000 from lp where id <> $1', [
    first,
  ]);
  await query(
    `insert into lp_asset (lp_id, symbol, chain, address) select id, 'usdt', 'trx', 'T' || id from lp where id <> $1`,
    [first],
  );
  // In the sequence in which LPs publish: not one corridor after the other.
  await query(
    `insert into lp_term (lp_id, currency, method, rate_usd, valid_until, min_fiat, max_fiat, float_available)
     select lp.id, corridor.currency, corridor.method, 120 - lp.id * 0.001, now() + interval '1 day', 100, 1000000, 1e9
     from lp, (
       select 'KES' as currency, unnest('{mobile_money,bank_transfer,till,paybill}'::text[]) as method
       union all
       select 'A' || chr(65 + n / 2) || 'X', case n % 2 when 0 then 'mobile_money' else 'bank_transfer' end
       from generate_series(0, $1::int - 5) n
     ) corridor
     order by random()
     on conflict do nothing`,
    [corridors],
  );
  await publishTerms(books.db, { ...QUOTED, lpId: first }, { float: '1e12' });
  await books.db.pool.query('vacuum analyze');
  return [first, ...others.map(({ id }) => Number(id))];
}

async function measure(books: Books, lps: number[], calls: number): Promise<Figures> {
  const { db } = books;
  const timed = async (name: string, call: (n: number) => Promise<unknown>) =>
    percentiles(name, (await msOfEach(calls + WARM, call)).slice(WARM), 50, 95);
  const figures = await timed('quote, rate checked against the LPs', startQuotes(books));
  await setReference(books, '1 day');
  Object.assign(figures, await timed('quote, rate checked by a price source', startQuotes(books)));
  await setReference(books, '0 days');
  const { asOf } = await lpsNow(db, lps, '0');
  Object.assign(figures, await timed('feed', () => lpsNow(db, lps, asOf)));
  const orders: NewOrder[] = [];
  while (orders.length < calls + WARM) orders.push(await books.draft(lps[0] ?? 0, AMOUNT));
  for (const order of orders) await books.create(order);
  const before = await updatesOf(books);
  const claim = async (n: number) => {
    const order = orders[n];
    const report = order && (await performStep(db, CLAIM.step, stepInput(CLAIM, order), NO_LIMITS));
    if (report?.result !== 'applied') throw new Error(`A claim was answered with ${report?.result}`);
  };
  Object.assign(figures, await timed('claim', claim));
  const after = await updatesOf(books);
  return {
    ...figures,
    'updates of terms': after.updates - before.updates,
    'of which add nothing to an index': after.hot - before.hot,
  };
}

/** Quotes as one process does. Once a second, it reads the ranking of a large corridor. */
function startQuotes({ db }: Books): () => ReturnType<FindOffer> {
  const findOffer = createOfferSearch(db, { strikeCoolDown: 0, rateOutlierBps: OUTLIER_BPS });
  return async () => {
    const offer = await findOffer(REQUEST);
    if (!offer) throw new Error('No LP can take the order');
    return offer;
  };
}

/** Gives the quoted currency a reference price that is usable for so long. */
async function setReference({ db }: Books, usableFor: string): Promise<void> {
  await db.pool.query(
    `insert into reference_price values ('KES', 120, now(), now() + $1::interval)
     on conflict (currency) do update set usable_until = excluded.usable_until`,
    [usableFor],
  );
}

/** Updates of terms, and how many of them added nothing to an index. */
async function updatesOf({ db, url }: Books): Promise<{ updates: number; hot: number }> {
  // The pool gives out the connection that it got back last, so this is the one that has made the claims.
  await db.pool.query('select pg_stat_force_next_flush()');
  const [row] = await db.query<{ updates: number; hot: number }>(
    'bench-updates',
    `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'lp_term'`,
    [],
  );
  if (!row) throw new Error(`No statistics in ${url}`);
  return row;
}
