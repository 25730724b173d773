import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

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
