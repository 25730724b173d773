import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { migrate } from '../src/db/migrate.ts';
import { lpsNow } from '../src/market/lps/approval.ts';
import { publishTerms } from '../src/market/lps/publish-terms.ts';
import { createOfferSearch, type FindOffer } from '../src/market/pricing/offer-search.ts';
import type { NewOrder } from '../src/orders/new-order.ts';
import { performStep } from '../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../src/orders/steps/shared/step.ts';
import { type Books, openBooks } from '../test/support/books.ts';
import { newDatabase, startOwnPostgres } from './databases.ts';
import { percentile } from './figures.ts';
import { plansDuring } from './growth/plans.ts';
import { STAGES, type Stage, stepInput } from './stages.ts';

const USAGE = `usage: npm run bench:terms -- [--lps N,N] [--corridors N] [--calls N] [--plans]

Measures, on a database alone, how the terms of many LPs slow down a quote, the feed and a claim: each of N LPs
(10,100,1000) has terms in all of N corridors (50). One call at a time, N of each (400). The claims are of one LP whose
terms have a float. --plans prints how PostgreSQL executes quotes.`;

const { values } = parseArgs({
  options: {
    lps: { type: 'string', default: '10,100,1000' },
    corridors: { type: 'string', default: '50' },
    calls: { type: 'string', default: '400' },
    plans: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
const [CLAIM] = STAGES as readonly [Stage, ...Stage[]];
/** The first executions make plans and are not counted. */
const WARM = 40;
/** The default of `RATE_OUTLIER_BPS`. */
const OUTLIER_BPS = 500;
const AMOUNT = '6475';
const QUOTED = { currency: 'KES', method: 'mobile_money' };
const REQUEST = { ...QUOTED, amount: AMOUNT, symbol: 'usdt', chain: 'trx' };

if (values.help) say(USAGE);
else
  await main(values.lps.split(',').map(Number), Number(values.corridors), Number(values.calls)).finally(
    cleanup.run,
  );

async function main(sizes: number[], corridors: number, calls: number): Promise<void> {
  const postgresUrl = await startOwnPostgres(cleanup);
  say('| LPs | terms | quote, p50 / p95 ms | with a reference | feed | claim | updates of terms, HOT |');
  say('|---:|---:|---:|---:|---:|---:|---:|');
  for (const size of sizes) {
    const url = await newDatabase(postgresUrl);
    await migrate({ url, debug: () => undefined });
    const books = await openBooks(url);
    try {
      const lps = await seed(books, size, corridors);
      await measure(books, lps, calls);
      if (values.plans) await printPlans(url);
    } finally {
      await books.db.close();
    }
  }
}

/** The first LP has terms with a float in the corridor that is quoted; the others are copies with other rates. */
async function seed(books: Books, size: number, corridors: number): Promise<number[]> {
  const first = await books.newLp();
  await books.deposit(first, '100000000');
  const query = async <Row>(sql: string, given: unknown[]): Promise<Row[]> =>
    (await books.db.pool.query(sql, given)).rows;
  const others = await query<{ id: number }>(
    `insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status, tier)
     select uuid_send(gen_random_uuid()), user_id, xrpl_address, mpesa_phone, 'LP ' || n, status, n % 5
     from lp, generate_series(2, $2) n where id = $1 returning id`,
    [first, size],
  );
  const lps = [first, ...others.map(({ id }) => Number(id))];
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
  return lps;
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

async function measure(books: Books, lps: number[], calls: number): Promise<void> {
  const { db } = books;
  const [first = 0] = lps;
  const compared = await timed(calls, startQuotes(books));
  await setReference(books, '1 day');
  const checked = await timed(calls, startQuotes(books));
  await setReference(books, '0 days');
  const { asOf } = await lpsNow(db, lps, '0');
  const feed = await timed(calls, () => lpsNow(db, lps, asOf));
  const orders: NewOrder[] = [];
  while (orders.length < calls + WARM) orders.push(await books.draft(first, AMOUNT));
  for (const order of orders) await books.create(order);
  const before = await updatesOf(books);
  const claim = await timed(calls, async (n) => {
    const order = orders[n];
    const report = order && (await performStep(db, CLAIM.step, stepInput(CLAIM, order), NO_LIMITS));
    if (report?.result !== 'applied') throw new Error(`A claim was answered with ${report?.result}`);
  });
  const after = await updatesOf(books);
  const [{ terms } = { terms: 0 }] = await db.query<{ terms: number }>(
    'bench-terms',
    'select count(*)::int as terms from lp_term',
    [],
  );
  const hot = `${after.updates - before.updates}, ${after.hot - before.hot}`;
  say(`| ${lps.length} | ${terms} | ${compared} | ${checked} | ${feed} | ${claim} | ${hot} |`);
}

/** Gives the quoted currency a reference price that is usable for so long. */
async function setReference({ db }: Books, usableFor: string): Promise<void> {
  await db.pool.query(
    `insert into reference_price values ('KES', 120, now(), now() + $1::interval)
     on conflict (currency) do update set usable_until = excluded.usable_until`,
    [usableFor],
  );
}

/** Median and 95th percentile of the calls, one after the other, in milliseconds. */
async function timed(calls: number, call: (n: number) => Promise<unknown>): Promise<string> {
  const took: number[] = [];
  for (let n = 0; n < calls + WARM; n++) {
    const began = performance.now();
    await call(n);
    if (n >= WARM) took.push(performance.now() - began);
  }
  return `${percentile(took, 50).toFixed(2)} / ${percentile(took, 95).toFixed(2)}`;
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

async function printPlans(url: string): Promise<void> {
  const plans = await plansDuring(url, async () => {
    const fresh = await openBooks(url);
    const quote = startQuotes(fresh);
    for (let n = 0; n < 10; n++) await quote();
    await fresh.db.close();
  });
  for (const { text, ms, rows, pages, nodes } of plans.filter((plan) =>
    plan.text.includes('reference as materialized'),
  ))
    say(`\n${text.slice(0, 80)} …: ${ms} ms, ${rows} rows, ${pages} pages\n${nodes.join('\n')}`);
}
