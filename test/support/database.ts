import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testEnvironment } from './environment.ts';

/** A fresh database with the schema in it; gives its URL. */
export const freshDatabase = (): Promise<string> => copyOf(testEnvironment().templateName);

/** A copy of a database that nobody is connected to, by its name; gives the URL of the copy. */
export async function copyOf(templateName: string): Promise<string> {
  const { adminUrl } = testEnvironment();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Says what hangs before the hook that waits for it is given up without a word.
  const client = new pg.Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: 30_000,
    query_timeout: 45_000,
  });
  await client.connect();
  try {
    // Files that start at the same moment copy the template one after the other.
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${name} template ${templateName}`);
  } finally {
    // Whatever happened: a connection left open would keep the lock, and every later file would wait for it in vain.
    await client.end();
  }
  return adminUrl.replace(/\/postgres$/, `/${name}`);
}
