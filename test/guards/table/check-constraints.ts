import { CHECK_VIOLATIONS } from '../../support/check-violations.ts';
import { inFile } from '../guard.ts';

const TABLES = '  await tablesOf(generator),\n';
/** Drops the constraint from the table that has it. */
const drop = (name: string) => `do $$ begin
  execute (select format('alter table %s drop constraint ${name}', conrelid::regclass) from pg_constraint where conname = '${name}');
end $$;`;

/** A guard for each CHECK of the schema. The test compares its list with the database. */
export const CHECK_GUARDS = inFile('src/db/initial-schema.ts', 'test/db/check-constraints.test.ts',
  Object.keys(CHECK_VIOLATIONS).map((name) =>
    [`check: ${name}`, TABLES, `${TABLES}${JSON.stringify(drop(name))},\n`, `${name} refuses a row that breaks it`] as const));
