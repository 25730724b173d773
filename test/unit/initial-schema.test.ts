import { expect, test } from '@jest/globals';
import { initialSchema, schemaHash } from '../../src/db/initial-schema.ts';

test('the hash of the schema depends on its statements, and not on comments or layout', async () => {
  const tables = 'create table "lp" ("id" bigserial primary key, "name" varchar(200) not null);';
  const files = await initialSchema({ getCreateSchemaSQL: async () => tables });
  expect(files).toContain(tables);
  const hash = schemaHash(files);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  const changed = (change: (file: string) => string) => schemaHash(files.map(change));
  expect(changed((file) => `-- A comment.\n\n${file.replaceAll('\n', '\n  ')}`)).toBe(hash);
  expect(changed((file) => (file === tables ? file.replace('not null', 'null') : file))).not.toBe(hash);
  expect(schemaHash(files.slice(1))).not.toBe(hash);
});
