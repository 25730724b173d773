import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../process/startup-error.ts';
import { namingOwner } from './errors.ts';
import type { Database } from './orm.ts';

/** More ids than Corridor can assign between a backup and the loss of the database. */
const IDS_LOST_AT_MOST = 1_000_000;
const TRANSACTIONS_LOST_AT_MOST = 10_000_000_000n;

const CONNECTED = `
  select count(*)::int as others from pg_stat_activity
  where datname = current_database() and application_name like 'corridor%' and pid <> pg_backend_pid()`;

const MOVE_IDS = `
  select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + ${IDS_LOST_AT_MOST})
  from pg_sequences where schemaname = current_schema()`;

/** The audit names the service, as for its other acts, and not the owner of the database. */
const AS_SERVICE = `set local corridor.audit = '{"actor": "service"}'`;

/** Kept if everything is paused already, with its reason. */
const PAUSE = `
  insert into pause (reason) values ('the database was restored from a backup, and an admin checks it')
  on conflict do nothing`;

/** Only if the sequence would still assign this order's id. An id further ahead was never assigned. */
const MOVE_IDS_BEYOND = `${MOVE_IDS} and exists (
    select from orders_id_seq ids where ids.last_value < $1 and ids.last_value >= $1 - ${IDS_LOST_AT_MOST}
  )`;

const FEED_ENDS = `
  select greatest((select max(xid) from order_event), feed_horizon())::text as "end", pg_current_xact_id()::text as xid`;

const IS_AHEAD = `
  select exists (
    select from order_event
    where xid >= (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + feed_offset())::text::xid8
  ) as ahead`;

/** The server may notice late that a process has ended. */
const CLOSING_TAKES_MS = 10_000;

/**
 * Prepares a database that was restored from a backup. The lost database had assigned ids and feed positions that the
 * backup does not contain. Agents keep ids of orders, receivers keep ids of webhooks, and feed readers keep positions.
 * A reused id would mean two things to them. So this moves all sequences and the feed far ahead. It also pauses payments
 * and claims: an order that was claimed and paid after the backup is unclaimed again, and auto-claim would claim it for
 * another LP. A second call does no harm. Throws a `StartupError` if Corridor stays connected, or if the role is not the owner.
 */
export async function prepareAfterRestore(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'corridor-restored' });
  await client.connect();
  try {
    await expectAlone(client);
    await client.query('begin');
    await client.query(AS_SERVICE);
    await client.query(MOVE_IDS);
    await client.query(PAUSE);
    const { rows } = await client.query<{ end: string; xid: string }>(FEED_ENDS);
    const [{ end, xid } = { end: '0', xid: '0' }] = rows;
    const offset = BigInt(end) + TRANSACTIONS_LOST_AT_MOST - BigInt(xid);
    await client.query(
      `create or replace function feed_offset() returns bigint language sql immutable parallel safe return ${offset}::bigint`,
    );
    await client.query('commit');
  } catch (error) {
    throw namingOwner(error as { code?: unknown }, url);
  } finally {
    await client.end();
  }
}

async function expectAlone(client: pg.Client): Promise<void> {
  const giveUpAt = performance.now() + CLOSING_TAKES_MS;
  for (;;) {
    const { rows } = await client.query<{ others: number }>(CONNECTED);
    if (rows[0]?.others === 0) return;
    if (performance.now() > giveUpAt)
      throw new StartupError('Corridor is connected to this database. Stop all of its processes first.');
    await setTimeout(100);
  }
}

/** Whether events have feed positions ahead of this server: a dump was restored without `prepareAfterRestore`. */
export async function isRestoredDump(db: Database): Promise<boolean> {
  const [row] = await db.query<{ ahead: boolean }>('feed-ahead', IS_AHEAD, []);
  return row?.ahead ?? false;
}

/**
 * A workflow runs for an order that the database has lost. If the database would reuse the order's id, this moves all
 * sequences ahead, as `prepareAfterRestore` does. Returns whether it did.
 */
export async function moveIdsBeyond(db: Database, orderId: number): Promise<boolean> {
  return (await db.query('move-ids-beyond', MOVE_IDS_BEYOND, [orderId])).length > 0;
}
