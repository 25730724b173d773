import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The address of a new, empty database on the server of this one. */
export async function newDatabase(maintenanceUrl: string): Promise<string> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: maintenanceUrl });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  return url.href;
}
