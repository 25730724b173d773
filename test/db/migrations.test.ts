import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations/index.ts';
import { freshDatabase } from '../support/database.ts';

/** Statements that create an index while writers of its table wait. */
const blockingIndexes = (sql: string): string[] =>
  sql.match(/create\s+(unique\s+)?index\s+(?!concurrently\b)\w+/gi) ?? [];

test('every migration after the first creates indexes concurrently', () => {
  expect(blockingIndexes('create index a on t (x); create unique index b on t (x)')).toHaveLength(2);
  expect(blockingIndexes('create unique index concurrently a on t (x)')).toEqual([]);
  const later = MIGRATIONS.slice(1).map(({ name }) =>
    readFileSync(new URL(`../../src/db/migrations/${name}.ts`, import.meta.url), 'utf8'),
  );
  expect(later.flatMap(blockingIndexes)).toEqual([]);
});

test('a migration gives up if another transaction keeps a table locked, and says so in one line', async () => {
  const url = await freshDatabase();
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table mikro_orm_migrations');
  const options = { url, lockTimeoutMs: 200, debug: () => undefined };
  await expect(migrate(options)).rejects.toThrow(
    /^Another transaction keeps a table locked.*Run "migrate" again/,
  );
  await holder.end();
  expect((await migrate(options)).applied).toEqual([]);
});
