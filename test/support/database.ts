import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { columnParsers, type Database } from '../../src/db/orm.ts';
import { queryPool } from '../../src/db/pool.ts';
import { roleUrl, SUPERUSER } from '../../src/service/embedded/roles.ts';
import { testEnvironment } from './environment.ts';

/** They name the query that hangs. Jest would abort the waiting hook or test without a reason. */
const TIMEOUTS = { connectionTimeoutMillis: 30_000, query_timeout: 45_000 };

/** Creates a fresh database with the schema, and returns its URL for the superuser. */
export const freshDatabase = (): Promise<string> => copyOf(testEnvironment().templateName);

/** Copies the database of this name, which must have no connections. Returns the URL of the copy for the superuser. */
export async function copyOf(templateName: string): Promise<string> {
  const { adminUrl } = testEnvironment();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: adminUrl, ...TIMEOUTS });
  await client.connect();
  try {
    // Test files that start at the same moment copy the template one after the other.
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${name} template ${templateName} owner corridor_owner`);
  } finally {
    // Always, because an open connection would keep the lock, and every later test file would wait for it.
    await client.end();
  }
  return adminUrl.replace(/\/postgres$/, `/${name}`);
}

/** The settings of an installation on this database: each role has its own URL, unless the URL is another role's than the superuser's. */
export function databaseSettings(url: string): Record<string, string> {
  if (new URL(url).username !== SUPERUSER) return { DATABASE_URL: url };
  return {
    DATABASE_URL: roleUrl(url, 'service'),
    DATABASE_OWNER_URL: roleUrl(url, 'owner'),
    DATABASE_READER_URL: roleUrl(url, 'reader'),
  };
}

/** Statements of the test itself, which change more than a Corridor may. The mapper stays that of `db`. */
export function asSuperuser(db: Database, url: string): Database {
  const pool = new pg.Pool({
    connectionString: url,
    // As the service's, so that the audit does not take these changes for those of a person.
    application_name: 'corridor',
    types: columnParsers(),
    ...TIMEOUTS,
  });
  // The server may end a connection while nothing uses it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    ...db,
    pool,
    query: (_name, text, values) => queryPool(pool, { text, values }),
    close: () => pool.end(),
  };
}
