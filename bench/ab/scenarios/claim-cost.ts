import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StepSettings } from '../../../src/orders/steps/shared/step.ts';
import { newDatabase, startOwnPostgres } from '../../databases.ts';
import type { Figures, Given, Scenario } from '../scenario.ts';

export const CLAIM_COST: Scenario = {
  question:
    'How much CPU time of PostgreSQL do a payment and a claim take, compared with the checkout of --with? float=1: the LP of this checkout has a float. Needs Linux.',
  sizes: { orders: 400, float: 0 },
  rounds: 15,
  warms: true,
  async start(given) {
    if (!given.other) throw new RangeError('--with names the other checkout');
    const postgresUrl = await startOwnPostgres(given.cleanup);
    const own = fileURLToPath(new URL('../../../', import.meta.url));
    return {
      other: await open(given, resolve(given.other), await newDatabase(postgresUrl), false),
      this: await open(given, own, await newDatabase(postgresUrl), given.size('float') > 0),
    };
  },
};

/** Opens a database with the code of a checkout: one LP, whose collateral covers every order. */
async function open({ cleanup, size }: Given, folder: string, url: string, hasFloat: boolean) {
  const its = async <Module>(file: string) => (await import(join(folder, file))) as Module;
  const file = 'src/db/migrate.ts';
  // Older checkouts have it in the other file.
  const { migrate } = await its<typeof import('../../../src/db/migrate.ts')>(
    existsSync(join(folder, file)) ? file : 'src/db/orm.ts',
  );
  const { openBooks } = await its<typeof import('../../../test/support/books.ts')>('test/support/books.ts');
  const { performStep } = await its<typeof import('../../../src/orders/steps/perform-step.ts')>(
    'src/orders/steps/perform-step.ts',
  );
  // Checkouts without terms have fewer settings, under another name.
  const { NO_LIMITS, NO_COOL_DOWN = NO_LIMITS } = await its<
    typeof import('../../../src/orders/steps/shared/step.ts') & { NO_COOL_DOWN?: StepSettings }
  >('src/orders/steps/shared/step.ts');
  const { STAGES, stepInput } = await its<typeof import('../../stages.ts')>('bench/stages.ts');
  await migrate({ url, debug: () => undefined });
  const books = await openBooks(url);
  cleanup.add(books.db.close);
  const lp = await books.newLp();
  await books.deposit(lp, '1000000000');
  if (hasFloat) await books.db.pool.query('update lp_term set float_available = 1e12');
  const [claim] = STAGES;
  if (!claim) throw new Error('There is no stage');

  return async (): Promise<Figures> => {
    const orders: Awaited<ReturnType<typeof books.draft>>[] = [];
    while (orders.length < size('orders')) orders.push(await books.draft(lp, '6475'));
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
    const of = (used: number) => used / orders.length;
    return { 'create, µs': of(created - began), 'claim, µs': of(claimed - created) };
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
