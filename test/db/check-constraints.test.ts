import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { CHECK_VIOLATIONS } from '../support/check-violations.ts';
import { freshDatabase } from '../support/database.ts';

let db: Database;
beforeAll(async () => {
  db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
});
afterAll(() => db.close());

test('Each CHECK of the schema has an example that breaks it', async () => {
  const { rows } = await db.pool.query(
    `select conname as name from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`,
  );
  expect(Object.keys(CHECK_VIOLATIONS).sort()).toEqual(rows.map(({ name }) => name).sort());
});

describe('The CHECK', () => {
  test.each(Object.entries(CHECK_VIOLATIONS))('%s refuses a row that breaks it', async (name, violation) => {
    const client = await db.pool.connect();
    try {
      const { rows } = await client.query(
        'select conrelid::regclass::text as name from pg_constraint where conname = $1',
        [name],
      );
      expect(rows).toHaveLength(1);
      const [table] = rows;
      // A table with the same CHECKs, where every column may be null.
      await client.query(
        `begin; create temporary table checked (like ${table.name} including constraints) on commit drop`,
      );
      const columns = await client.query(
        `select quote_ident(attname) as name from pg_attribute where attrelid = 'checked'::regclass and attnum > 0 and attnotnull`,
      );
      for (const column of columns.rows)
        await client.query(`alter table checked alter ${column.name} drop not null`);
      await expect(
        client.query(`insert into checked select * from jsonb_populate_record(null::${table.name}, $1)`, [
          violation,
        ]),
      ).rejects.toMatchObject({ code: '23514', constraint: name });
    } finally {
      client.release(true);
    }
  });
});
