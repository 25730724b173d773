import { migrate } from '../../src/db/migrate.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { type Books, openBooks } from '../../test/support/books.ts';
import { newDatabase } from '../databases.ts';
import { CLIENTS } from '../load.ts';
import { recordVerdicts, STAGES, stepInput, TRANSITIONS, type Transition } from '../stages.ts';
import { inTurn, type Surroundings } from './part.ts';
import { hasPgbench, runPgbench } from './pgbench.ts';
import { countStatements } from './round-trips.ts';
import { numbersOf, pgbenchStatement } from './statements.ts';

export interface SqlFigures {
  /** Transitions per second, one statement each. */
  corridor: Record<Transition, number>;
  /** The same by pgbench; null if pgbench is missing. */
  pgbench: Record<Transition, number> | null;
  /** Statements of one transition. */
  roundTrips: Record<Transition, number>;
}

/** Warm-up orders per connection, which make query plans and compile code. */
const WARM = 4;

/**
 * Measures each transition by the workers' code, and the same statement by pgbench with as many connections and orders.
 * On both sides, every connection has its own orders and its own LP.
 */
export async function measureSql({ servers, size, round }: Surroundings): Promise<SqlFigures> {
  const databaseUrl = await newDatabase(servers.databaseUrl);
  await migrate({ url: databaseUrl, debug: () => undefined });
  const books = await openBooks(databaseUrl);
  try {
    const lps: number[] = [];
    while (lps.length < CLIENTS) lps.push(await books.newLp());
    for (const lp of lps) await books.deposit(lp, '100000000');
    const each = Math.ceil(size.statements / CLIENTS);
    const warm = await draftAll(books, lps, WARM);
    const own = await draftAll(books, lps, each);
    const theirs = await draftAll(books, lps, each);
    const numbers = numbersOf(lowestOf(theirs.map(({ id }) => id)), lowestOf(lps));
    const pgbenchIsThere = await hasPgbench();

    const corridor: Partial<SqlFigures['corridor']> = {};
    const pgbench: Partial<SqlFigures['corridor']> = {};
    const roundTrips: Partial<SqlFigures['roundTrips']> = {};
    for (const [n, transition] of TRANSITIONS.entries()) {
      const work = (order: NewOrder) => carryOut(books, transition, order);
      if (transition === 'complete') await recordVerdicts(books.db);
      await byConnections(warm.slice(1), work);
      roundTrips[transition] = await countStatements(books.db.pool, () => work(warm[0] as NewOrder));
      const sides = {
        corridor: async () => {
          corridor[transition] = await byConnections(own, work);
        },
        pgbench: async () => {
          if (!pgbenchIsThere) return;
          const statement = await pgbenchStatement(transition, theirs[0] as NewOrder);
          const run = { databaseUrl, clients: CLIENTS, transactions: each, numbers };
          pgbench[transition] = await runPgbench(statement, run);
        },
      };
      for (const side of inTurn(['corridor', 'pgbench'] as const, round + n)) await sides[side]();
    }
    await requireCompleted(books, warm.length + own.length + (pgbenchIsThere ? theirs.length : 0));
    return {
      corridor: corridor as SqlFigures['corridor'],
      pgbench: pgbenchIsThere ? (pgbench as SqlFigures['corridor']) : null,
      roundTrips: roundTrips as SqlFigures['roundTrips'],
    };
  } finally {
    await books.db.close();
  }
}

/** Drafts with consecutive ids, assigned to the LPs in turn. */
async function draftAll(books: Books, lps: number[], each: number): Promise<NewOrder[]> {
  const drafts: NewOrder[] = [];
  while (drafts.length < each * lps.length)
    drafts.push(await books.draft(lps[drafts.length % lps.length] as number, '6475'));
  return drafts;
}

async function carryOut({ db, create }: Books, transition: Transition, order: NewOrder): Promise<void> {
  const stage = STAGES.find(({ step }) => step === transition);
  const done = stage
    ? (await performStep(db, stage.step, stepInput(stage, order), NO_LIMITS)).result === 'applied'
    : await create(order);
  if (!done) throw new Error(`${transition} of order ${order.id} changed nothing`);
}

/** Orders per second. Each connection has the orders of one LP. */
async function byConnections(orders: NewOrder[], work: (order: NewOrder) => Promise<void>): Promise<number> {
  const began = performance.now();
  const connection = async (_: unknown, own: number) => {
    for (let n = own; n < orders.length; n += CLIENTS) await work(orders[n] as NewOrder);
  };
  await Promise.all(Array.from({ length: CLIENTS }, connection));
  return (orders.length * 1_000) / (performance.now() - began);
}

/** pgbench computes order ids from a number, so the ids must be consecutive. */
function lowestOf(ids: number[]): number {
  const [first = 0] = ids;
  if (ids.some((id, n) => id !== first + n)) throw new Error('The order ids are not consecutive');
  return first;
}

/** Checks that the statements changed every order: a statement without effect would be too fast. */
async function requireCompleted({ db }: Books, expected: number): Promise<void> {
  const sql = `select count(*) as completed from orders where status = 'completed'`;
  const [row] = await db.query<{ completed: number }>('bench-completed', sql, []);
  if (row?.completed !== expected) throw new Error(`${row?.completed} of ${expected} orders are completed`);
}
