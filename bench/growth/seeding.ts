import pg from 'pg';
import { countEndings } from '../../src/db/commands/count-endings.ts';
import { refreshLpStatistics } from '../../src/db/commands/refresh-lp-statistics.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { type Cast, createCast } from './cast.ts';
import { ENDED, LIVE, type Life } from './lives.ts';
import { BALANCES, COUNT_EVENTS, FILL, KNOW_LIVES, type LifeStep, MAKE, TABLES } from './rows.ts';

/** Orders a day: the past is as long as there are orders, and not denser. */
const A_DAY = 10_000;
const PACE_MS = 86_400_000 / A_DAY;
/** Orders of one statement. */
const BATCH = 10_000;
/** Connections that fill at the same time. */
const WRITERS = 3;
/** Orders that go on, at every size. */
export const LIVE_ORDERS = 40;
const LIVE_PACE_MS = 5_000;
/** Agents and LPs, the last of each, that have done nothing yet. */
export const NEWCOMERS = 4;
/** Events of one statement when the LPs' records are put together. */
const RECORDS_AT_ONCE = 200_000;

export interface SeedOptions {
  databaseUrl: string;
  /** Orders that have ended. */
  orders: number;
  progress?: (line: string) => void;
}

/**
 * Fills a migrated, empty database with orders that have ended, as Corridor would have left them: events, transfers,
 * webhooks, outcomes of the last day, transactions, records; and with a few that go on. Needs a superuser, since
 * foreign keys are not checked row by row: `npm run check:invariants` proves more than they do.
 */
export async function seed({ databaseUrl, orders, progress = () => undefined }: SeedOptions): Promise<Cast> {
  const began = Date.now();
  const tell = (what: string) => progress(`${what} after ${Math.round((Date.now() - began) / 1_000)} s`);
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => openWriter(databaseUrl)));
  const [writer] = writers as [pg.Client];
  try {
    const cast = await createCast(writer);
    // The last of them has ended by now.
    const firstAt = began - 6 * 3_600_000 - orders * PACE_MS;
    let next = 1;
    const write = async (client: pg.Client) => {
      for (let from = next; from <= orders; from = next) {
        next = Math.min(orders, from + BATCH - 1) + 1;
        await fill(client, cast, { from, to: next - 1, live: false, firstAt, paceMs: PACE_MS });
        if ((next - 1) % (10 * BATCH) === 0) tell(`${next - 1} orders`);
      }
    };
    await Promise.all(writers.map(write));
    // Each has made its last step a moment ago.
    const liveAt = Date.now() - 15 * 60_000 - (orders + LIVE_ORDERS) * LIVE_PACE_MS;
    const [from, to] = [orders + 1, orders + LIVE_ORDERS];
    await fill(writer, cast, { from, to, live: true, firstAt: liveAt, paceMs: LIVE_PACE_MS });
    await writer.query(BALANCES);
    await writer.query(`select setval('orders_id_seq', $1)`, [to]);

    tell('filled');
    await keepRecords(databaseUrl);
    tell('records kept');
    // What autovacuum would have done by and by.
    await writer.query('vacuum (analyze)');
    await writer.query('checkpoint');
    tell('ready');
    return cast;
  } finally {
    for (const client of writers) await client.end();
  }
}

/** A connection that writes rows as they are, and knows the lives of orders. */
async function openWriter(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '128MB'`,
  );
  await client.query(TABLES);
  const steps = [...ENDED.flatMap(stepsOf(false)), ...LIVE.flatMap(stepsOf(true))];
  await client.query(KNOW_LIVES, [JSON.stringify(steps)]);
  return client;
}

/** Each step of a life with what is true from then on. */
const stepsOf =
  (live: boolean) =>
  ({ steps }: Life, life: number): LifeStep[] =>
    steps.map(({ to: status, cause, by, minutes, lp, transactions = 0, named = false }, i) => {
      const before = steps.slice(0, i + 1).map(({ to }) => to);
      return {
        ...{ live, life, seq: i + 1, last: i === steps.length - 1, from_status: before.at(-2) ?? null },
        ...{ status, cause, by, minutes, lp, transactions, named },
        held: before.lastIndexOf('claimed') > before.lastIndexOf('matched'),
        let_down: before.lastIndexOf('matched') > 0,
      };
    });

interface Stretch {
  from: number;
  to: number;
  live: boolean;
  /** Of order 0, milliseconds since 1970. */
  firstAt: number;
  paceMs: number;
}

/** Orders `from` to `to`, with everything that belongs to them. */
async function fill(client: pg.Client, { agents, lps }: Cast, stretch: Stretch): Promise<void> {
  const { from, to, live, firstAt, paceMs } = stretch;
  const trading = <T>(all: readonly T[]) => all.slice(0, -NEWCOMERS);
  const shares = (live ? LIVE : ENDED).map(({ ofThousand }) => ofThousand);
  const begins = shares.map((_, i) => shares.slice(0, i).reduce((sum, share) => sum + share, 0));
  await client.query('truncate made');
  await client.query(MAKE, [
    ...[from, to, live, firstAt, paceMs, begins],
    trading(agents).map(({ id }) => id),
    trading(agents).map(({ userId }) => userId),
    trading(lps).map(({ id }) => id),
    trading(lps).map(({ address }) => address),
  ]);
  await client.query('analyze made');
  const { rows } = await client.query<{ events: number; xid: string }>(COUNT_EVENTS);
  const { events, xid } = rows[0] ?? { events: 0, xid: '0' };
  // An event stands in the feed at the id of the transaction that wrote it: as many are used up.
  await client.query(
    `do $$ begin for i in 1..${events} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );
  await client.query(FILL, [xid]);
}

/** The records are put together by Corridor itself, from the events. */
async function keepRecords(databaseUrl: string): Promise<void> {
  const db = await openDatabase({
    ...{ url: databaseUrl, poolSize: 2, queryTimeoutMs: 0 },
    debug: () => undefined,
  });
  try {
    await db.pool.query('analyze order_event');
    const catchUp = async (takeIn: typeof countEndings) => {
      while ((await takeIn(db, RECORDS_AT_ONCE)) === RECORDS_AT_ONCE);
    };
    await Promise.all([refreshLpStatistics, countEndings].map(catchUp));
  } finally {
    await db.close();
  }
}
