import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Cleanup } from '../dev/cleanup.ts';
import { startPostgres } from '../src/service/embedded/postgres.ts';

/** Starts a PostgreSQL in a folder of its own, and returns the URL of its superuser. `cleanup` removes both. */
export async function startOwnPostgres(cleanup: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres(join(folder, 'postgres'));
  cleanup.add(postgres.stop);
  return postgres.url;
}

/** Creates an empty database on the same server and returns its URL. */
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
