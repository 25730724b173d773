import { type TableGenerator, tablesOf } from '../../src/db/initial-schema.ts';

/** The statements that make the tables, for reviewers. */
export const TABLES_FILE = new URL('../db/tables.sql', import.meta.url);

const HEAD = '-- Made from src/db/entities by `npm run record:statements`.\n\n';

/** The expected content of the file: the statements that the migration runs, with a line for each column. */
export const expectedTables = async (generator: TableGenerator): Promise<string> =>
  HEAD + (await tablesOf(generator)).split('\n').map(inLines).join('\n');

function inLines(statement: string): string {
  const [, start, columns, end] = /^(create table "\w+" \()(.*)(\);)$/.exec(statement) ?? [];
  return columns ? `${start}\n  ${columns.split(OUTSIDE_BRACKETS).join(',\n  ')}\n${end}` : statement;
}

/** A comma between two columns, not one inside of `numeric(20, 6)`, an expression or a key of several columns. */
const OUTSIDE_BRACKETS = /, (?![^(]*\))/;
