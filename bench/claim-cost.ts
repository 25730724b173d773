import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import type { StepSettings } from '../src/orders/steps/shared/step.ts';
import { newDatabase, startOwnPostgres } from './databases.ts';
import { spread } from './figures.ts';

const USAGE = `usage: npm run bench:claims -- --with FOLDER [--rounds N] [--orders N] [--float]

Compares what the database spends on a payment and a claim with another checkout, whose packages are installed (npm ci):
CPU time of PostgreSQL's processes for N orders (400) in each of N rounds (15), in turns, one statement at a time, on one
server. CPU time varies less than time on a busy machine. --float: the LP of this checkout has a float. Needs Linux.`;

const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    orders: { type: 'string', default: '400' },
    float: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
const COSTS = ['create', 'claim'] as const;
/** Microseconds of CPU per order. */
type Costs = Record<(typeof COSTS)[number], number>;
type Side = (orders: number) => Promise<Costs>;

if (values.help || !values.with) say(USAGE);
else await compare(resolve(values.with), Number(values.rounds), Number(values.orders)).finally(cleanup.run);

async function compare(folder: string, rounds: number, orders: number): Promise<void> {
  const postgresUrl = await startOwnPostgres(cleanup);
  const other = await open(folder, await newDatabase(postgresUrl), false);
  const own = await open(
    fileURLToPath(new URL('../', import.meta.url)),
    await newDatabase(postgresUrl),
    values.float,
  );
  const costs: { other: Costs; own: Costs }[] = [];
  for (let round = -1; round < rounds; round++) {
    // Each goes first in every other round.
    const first = round % 2 === 0 ? await other(orders) : undefined;
    const ownCosts = await own(orders);
    const otherCosts = first ?? (await other(orders));
    // The first round only warms up.
    if (round >= 0) costs.push({ other: otherCosts, own: ownCosts });
  }
  say(
    '| CPU of PostgreSQL, µs | other | this | this ÷ other, median (minimum to maximum) |\n|---|---|---|---|',
  );
  for (const cost of COSTS) {
    const ratio = spread(costs.map((round) => round.own[cost] / round.other[cost]));
    const [others, owns] = [
      spread(costs.map(({ other }) => other[cost])),
      spread(costs.map(({ own }) => own[cost])),
    ];
    const bounds = `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`;
    say(
      `| ${cost} | ${others.median.toFixed(0)} | ${owns.median.toFixed(0)} | ${ratio.median.toFixed(3)} (${bounds}) |`,
    );
  }
}

/** Opens a database with the code of a checkout: one LP, whose collateral covers every order. */
async function open(folder: string, url: string, hasFloat: boolean): Promise<Side> {
  const its = async <Module>(file: string) => (await import(join(folder, file))) as Module;
  const file = 'src/db/migrate.ts';
  // Older checkouts have it in the other file.
  const { migrate } = await its<typeof import('../src/db/migrate.ts')>(
    existsSync(join(folder, file)) ? file : 'src/db/orm.ts',
  );
  const { openBooks } = await its<typeof import('../test/support/books.ts')>('test/support/books.ts');
  const { performStep } = await its<typeof import('../src/orders/steps/perform-step.ts')>(
    'src/orders/steps/perform-step.ts',
  );
  // Checkouts without terms have fewer settings, under another name.
  const { NO_LIMITS, NO_COOL_DOWN = NO_LIMITS } = await its<
    typeof import('../src/orders/steps/shared/step.ts') & { NO_COOL_DOWN?: StepSettings }
  >('src/orders/steps/shared/step.ts');
  const { STAGES, stepInput } = await its<typeof import('./stages.ts')>('bench/stages.ts');
  await migrate({ url, debug: () => undefined });
  const books = await openBooks(url);
  cleanup.add(books.db.close);
  const lp = await books.newLp();
  await books.deposit(lp, '1000000000');
  if (hasFloat) await books.db.pool.query('update lp_term set float_available = 1e12');
  const [claim] = STAGES;
  if (!claim) throw new Error('There is no stage');

  return async (count) => {
    const orders: Awaited<ReturnType<typeof books.draft>>[] = [];
    while (orders.length < count) orders.push(await books.draft(lp, '6475'));
    // Otherwise autovacuum could clean up one side's tables during the other side's turn.
    await books.db.pool.query('vacuum analyze');
    const began = await cpu();
    for (const order of orders) await books.create(order);
    const created = await cpu();
    for (const order of orders) {
      const { result } = await performStep(books.db, claim.step, stepInput(claim, order), NO_COOL_DOWN);
      if (result !== 'applied') throw new Error(`A claim was answered with ${result}`);
    }
    const claimed = await cpu();
    return { create: (created - began) / count, claim: (claimed - created) / count };
  };

  /** Microseconds that the server's processes for this database's connections have run. */
  async function cpu(): Promise<number> {
    const { rows } = await books.db.pool.query(
      'select pid from pg_stat_activity where datname = current_database() and backend_type = $1',
      ['client backend'],
    );
    const used = rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]));
    return used.reduce((sum, one) => sum + one, 0) / 1_000;
  }
}
