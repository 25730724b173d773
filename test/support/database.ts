import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testEnvironment } from './environment.ts';

/** A fresh database with the schema in it; gives its URL. */
export async function freshDatabase(): Promise<string> {
  const { adminUrl, templateName } = testEnvironment();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  // Files that start at the same moment copy the template one after the other.
  await client.query('select pg_advisory_lock(1)');
  await client.query(`create database ${name} template ${templateName}`);
  await client.end();
  return adminUrl.replace(/\/postgres$/, `/${name}`);
}
