import pg from 'pg';
import { openDatabase } from '../../src/db/orm.ts';
import { refreshLpStatistics } from '../../src/market/lps/refresh-statistics.ts';
import { countEndings } from '../../src/operations/statistics/count-endings.ts';
import { type Actors, createActors } from './actors.ts';
import { ENDED, LIVE, type Lifecycle } from './lifecycles.ts';
import { BALANCES, COUNT_EVENTS, FILL, KNOWN_LIFECYCLES, type LifecycleStep, MAKE, TABLES } from './rows.ts';

/** Orders per day. More orders make the past longer, not denser. */
const A_DAY = 10_000;
const PACE_MS = 86_400_000 / A_DAY;
/** Orders per statement. */
const BATCH = 10_000;
/** Concurrent connections that insert orders. */
const WRITERS = 3;
/** Live orders, at every size. */
export const LIVE_ORDERS = 40;
const LIVE_PACE_MS = 5_000;
/** The number of agents and of LPs, the last of each, that have not traded yet. */
export const NEWCOMERS = 4;
/** Events per statement when Corridor computes the LPs' statistics. */
const EVENTS_PER_REFRESH = 200_000;

export interface SeedOptions {
  databaseUrl: string;
  /** Ended orders. */
  orders: number;
  progress?: (line: string) => void;
}

/**
 * Fills a migrated, empty database with ended orders as Corridor would have left them (events, transfers, webhooks,
 * outcomes of the last day, transactions, statistics) and with a few live ones. Needs a superuser, to switch off foreign
 * key checks: `npm run check:invariants` covers more than these.
 */
export async function seed({
  databaseUrl,
  orders,
  progress = () => undefined,
}: SeedOptions): Promise<Actors> {
  const began = Date.now();
  const report = (what: string) => progress(`${what} after ${Math.round((Date.now() - began) / 1_000)} s`);
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => openWriter(databaseUrl)));
  const [writer] = writers as [pg.Client];
  try {
    const actors = await createActors(writer);
    // The newest of them ended before now.
    const firstAt = began - 6 * 3_600_000 - orders * PACE_MS;
    let next = 1;
    const write = async (client: pg.Client) => {
      for (let from = next; from <= orders; from = next) {
        next = Math.min(orders, from + BATCH - 1) + 1;
        await fill(client, actors, { from, to: next - 1, live: false, firstAt, paceMs: PACE_MS });
        if ((next - 1) % (10 * BATCH) === 0) report(`${next - 1} orders`);
      }
    };
    await Promise.all(writers.map(write));
    // Each made its last step a moment ago.
    const liveAt = Date.now() - 15 * 60_000 - (orders + LIVE_ORDERS) * LIVE_PACE_MS;
    const [from, to] = [orders + 1, orders + LIVE_ORDERS];
    await fill(writer, actors, { from, to, live: true, firstAt: liveAt, paceMs: LIVE_PACE_MS });
    await writer.query(BALANCES);
    await writer.query(`select setval('orders_id_seq', $1)`, [to]);

    report('filled');
    await refreshStatistics(databaseUrl);
    report('statistics computed');
    // As autovacuum would have done over time.
    await writer.query('vacuum (analyze)');
    await writer.query('checkpoint');
    report('ready');
    return actors;
  } finally {
    for (const client of writers) await client.end();
  }
}

/** Opens a connection without constraint triggers, with the lifecycles in a temporary table. */
async function openWriter(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '128MB'`,
  );
  await client.query(TABLES);
  const steps = [...ENDED.flatMap(stepsOf(false)), ...LIVE.flatMap(stepsOf(true))];
  await client.query(KNOWN_LIFECYCLES, [JSON.stringify(steps)]);
  return client;
}

/** Each step of a lifecycle with the state that it leaves. */
const stepsOf =
  (live: boolean) =>
  ({ steps }: Lifecycle, lifecycle: number): LifecycleStep[] =>
    steps.map(({ to: status, cause, by, minutes, lp, transactions = 0, named = false }, i) => {
      const before = steps.slice(0, i + 1).map(({ to }) => to);
      return {
        ...{ live, lifecycle, seq: i + 1, last: i === steps.length - 1, from_status: before.at(-2) ?? null },
        ...{ status, cause, by, minutes, lp, transactions, named },
        held: before.lastIndexOf('claimed') > before.lastIndexOf('matched'),
        failed_claim: before.lastIndexOf('matched') > 0,
      };
    });

/** A range of orders to insert. */
interface OrderRange {
  from: number;
  to: number;
  live: boolean;
  /** Creation time of order 0, milliseconds since 1970. */
  firstAt: number;
  paceMs: number;
}

/** Inserts the orders `from` to `to` with their dependent rows. */
async function fill(client: pg.Client, { agents, lps }: Actors, range: OrderRange): Promise<void> {
  const { from, to, live, firstAt, paceMs } = range;
  const trading = <T>(all: readonly T[]) => all.slice(0, -NEWCOMERS);
  const frequencies = (live ? LIVE : ENDED).map(({ ofThousand }) => ofThousand);
  const begins = frequencies.map((_, i) => frequencies.slice(0, i).reduce((sum, one) => sum + one, 0));
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
  // The id of its transaction is an event's place in the feed, so this loop uses up one transaction id per event.
  await client.query(
    `do $$ begin for i in 1..${events} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );
  await client.query(FILL, [xid]);
}

/** Lets Corridor compute the statistics from the events. */
async function refreshStatistics(databaseUrl: string): Promise<void> {
  const db = await openDatabase({
    ...{ url: databaseUrl, poolSize: 2, queryTimeoutMs: 0 },
    debug: () => undefined,
  });
  try {
    await db.pool.query('analyze order_event');
    const catchUp = async (refresh: typeof countEndings) => {
      while ((await refresh(db, EVENTS_PER_REFRESH)) === EVENTS_PER_REFRESH);
    };
    const countForLps: typeof countEndings = (of, limit) => refreshLpStatistics(of, limit, 0);
    await Promise.all([countForLps, countEndings].map(catchUp));
  } finally {
    await db.close();
  }
}
