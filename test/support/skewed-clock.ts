import pg from 'pg';
import type { Database } from '../../src/db/orm.ts';
import { freshDatabase } from './database.ts';

/**
 * A fresh database whose statements read a clock that `setClock` moves. PostgreSQL finds `now()` in the schema `skewed` before
 * its own. Column defaults keep the real clock.
 */
export async function databaseWithSkewedClock(): Promise<string> {
  const url = await freshDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const name = new URL(url).pathname.slice(1);
    await client.query(`
      create schema skewed;
      create table skewed.clock (ahead_by interval not null);
      insert into skewed.clock values ('0');
      grant usage on schema skewed to public;
      grant select on skewed.clock to public;
      create function skewed.now() returns timestamptz stable language sql
        as 'select pg_catalog.now() + ahead_by from skewed.clock';
      alter database ${name} set search_path = skewed, public, pg_catalog;`);
  } finally {
    await client.end();
  }
  return url;
}

/** Sets the database's clock ahead of the real one, or, with a negative interval, behind it. */
export const setClock = (db: Database, aheadBy: string) =>
  db.pool.query('update skewed.clock set ahead_by = $1', [aheadBy]);
