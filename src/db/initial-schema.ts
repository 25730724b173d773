import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Database } from './orm.ts';

/** The schema's files, in the order in which they run. */
const FILES = ['initial.sql', 'audit.sql', 'masking.sql'];

/** The SQL of the initial schema. */
export const initialSchema = (): string[] =>
  FILES.map((file) => readFileSync(new URL(`migrations/${file}`, import.meta.url), 'utf8'));

/** Identifies the initial schema, whatever its comments and its layout. */
export const schemaHash = (files: readonly string[]): string =>
  hash('sha256', files.join('\n').replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim());

/** Records in a new database which initial schema made it. */
export const recordSchema = (files: readonly string[]): string => `
  create table initial_schema (hash varchar(64) primary key);
  insert into initial_schema values ('${schemaHash(files)}');`;

const UNDEFINED_TABLE = '42P01';

/**
 * Whether the database was made by the initial schema that this code has. Until the first release that schema changes in
 * place, and no migration leads from one to the next.
 */
export async function hasPresentSchema(db: Database): Promise<boolean> {
  const rows = await db
    .query<{ hash: string }>('initial-schema', 'select hash from initial_schema', [])
    .catch((error) => {
      if (error.code === UNDEFINED_TABLE) return [];
      throw error;
    });
  return rows[0]?.hash === schemaHash(initialSchema());
}
