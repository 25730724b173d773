import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testEnvironment } from './environment.ts';

/** Creates a fresh database with the schema, and returns its URL. */
export const freshDatabase = (): Promise<string> => copyOf(testEnvironment().templateName);

/** Copies the database of this name, which must have no connections. Returns the URL of the copy. */
export async function copyOf(templateName: string): Promise<string> {
  const { adminUrl } = testEnvironment();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // These timeouts name the query that hangs. Jest would abort the waiting hook without a reason.
  const client = new pg.Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: 30_000,
    query_timeout: 45_000,
  });
  await client.connect();
  try {
    // Test files that start at the same moment copy the template one after the other.
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${name} template ${templateName}`);
  } finally {
    // Always, because an open connection would keep the lock, and every later test file would wait for it.
    await client.end();
  }
  return adminUrl.replace(/\/postgres$/, `/${name}`);
}
