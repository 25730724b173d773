import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SqlSchemaGenerator } from '@mikro-orm/postgresql';

const file = (name: string): string =>
  readFileSync(new URL(`migrations/${name}.sql`, import.meta.url), 'utf8');

/** Makes the statements of the tables from the entities. */
export type TableGenerator = Pick<SqlSchemaGenerator, 'getCreateSchemaSQL'>;

/** The tables of the entities, with their constraints and indexes, as `test/db/tables.sql` shows them. */
export const tablesOf = (generator: TableGenerator): Promise<string> =>
  generator.getCreateSchemaSQL({ wrap: false });

/** The SQL of the initial schema, in the order in which it runs. */
export const initialSchema = async (generator: TableGenerator): Promise<string[]> => [
  file('before-tables'),
  await tablesOf(generator),
  ...['functions', 'audit', 'masking'].map(file),
];

/** Identifies the initial schema, whatever its comments and its layout. */
export const schemaHash = (files: readonly string[]): string =>
  hash('sha256', files.join('\n').replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim());

/** Records in a new database which initial schema made it. */
export const recordSchema = (files: readonly string[]): string => `
  create table initial_schema (hash varchar(64) primary key);
  insert into initial_schema values ('${schemaHash(files)}');`;
