import pino from 'pino';
import { stepActivities } from '../../activities/steps.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { type Books, openBooks } from '../../test/support/books.ts';
import { newDatabase } from '../databases.ts';
import { STAGES, type Stage, stepInput } from '../stages.ts';
import { inTurn, type Surroundings } from './part.ts';

/** Claims per second of one LP. */
export interface HotLpFigures {
  corridor: number;
  /** With the smallest statement that claims. */
  bound: number;
}

const CONCURRENCY = 64;
const [CLAIM] = STAGES as readonly [Stage, ...Stage[]];

/** The smallest claim: it updates the order at its version, and the LP's balance. */
const LEAST = `
  with o as (
    update orders set status = 'claimed', version = version + 1, lp_id = $3, collateral_locked = $4, lp_receive_address = $5
    where id = $1 and version = $2
    returning collateral_locked
  )
  update lp_collateral l set available = l.available - o.collateral_locked, locked = l.locked + o.collateral_locked
  from o where l.lp_id = $3
  returning l.lp_id`;

/** Claims with one LP's collateral, in alternating waves of Corridor's activity and of the smallest statement. */
export async function measureHotLp({ servers, size, round }: Surroundings): Promise<HotLpFigures> {
  const url = await newDatabase(servers.databaseUrl);
  const quiet = { url, debug: () => undefined };
  await migrate(quiet);
  const books = await openBooks(url);
  const db = await openDatabase({ ...quiet, poolSize: CONCURRENCY, queryTimeoutMs: 60_000 });
  try {
    const lp = await books.newLp();
    await books.deposit(lp, '100000000');
    const ignore = () => undefined;
    const { claim } = stepActivities({
      ...{ db, log: pino({ level: 'silent' }), announce: ignore, orderMetrics: { stepped: ignore } },
      stepSettings: NO_LIMITS,
      verifyCommand: () => true,
      ...{ deliverInline: async () => 'later', firstLook: async () => undefined },
    });
    const claims = {
      corridor: async (order: NewOrder) => {
        const { result } = await claim(stepInput(CLAIM, order));
        return result === 'applied';
      },
      bound: async ({ id, lp_id, amount_usd }: NewOrder) => {
        const values = [id, 1, lp_id, amount_usd, `T${lp_id}`];
        return (await db.query('bench-least-claim', LEAST, values)).length === 1;
      },
    };
    const took = { corridor: 0, bound: 0 };
    // The first waves open connections and make query plans, and are not counted.
    for (let wave = -1; wave < size.waves; wave++) {
      for (const side of inTurn(['corridor', 'bound'] as const, round + wave + 1)) {
        const ms = await claimAll(await newOrders(books, lp), claims[side]);
        if (wave >= 0) took[side] += ms;
      }
    }
    await requireLocked(db, lp, (size.waves + 1) * 2 * CONCURRENCY);
    const perSecond = (ms: number) => (size.waves * CONCURRENCY * 1_000) / ms;
    return { corridor: perSecond(took.corridor), bound: perSecond(took.bound) };
  } finally {
    await db.close();
    await books.db.close();
  }
}

async function newOrders(books: Books, lp: number): Promise<NewOrder[]> {
  const orders: NewOrder[] = [];
  while (orders.length < CONCURRENCY) orders.push(await books.draft(lp, '6475'));
  await Promise.all(orders.map((order) => books.create(order)));
  return orders;
}

/** Makes all claims concurrently. Returns the milliseconds until the last answer. */
async function claimAll(orders: NewOrder[], claim: (order: NewOrder) => Promise<boolean>): Promise<number> {
  const began = performance.now();
  const claimed = await Promise.all(orders.map(claim));
  const ms = performance.now() - began;
  if (claimed.includes(false)) throw new Error('An order was not claimed');
  return ms;
}

async function requireLocked(db: Database, lp: number, claims: number): Promise<void> {
  const sql = `
    select count(*) = $2::int and sum(o.collateral_locked) = (select locked from lp_collateral where lp_id = $1) as right
    from orders o where o.lp_id = $1 and o.status = 'claimed'`;
  const [row] = await db.query<{ right: boolean }>('bench-locked', sql, [lp, claims]);
  if (!row?.right) throw new Error('The locked collateral does not match the claims');
}
