import type pg from 'pg';
import type { Database } from './orm.ts';

/** A statement whose parameters have names. Its text never changes, so that each connection prepares it once. */
export interface Statement {
  /** The name under which connections prepare the statement, and that traces show. */
  name: string;
  /** With `$1`, `$2` … for PostgreSQL. */
  text: string;
  /** Names of `$1`, `$2` …, in this order. */
  parameters: readonly string[];
}

/** Numbers the parameters of a text, which writes them as `$orderId`. */
export function statement(name: string, namedText: string): Statement {
  const parameters: string[] = [];
  const text = namedText.trim().replace(/\$([a-z]\w*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text, parameters };
}

/** A statement with a value for each of its parameters, as `pg` takes it. Throws if the names differ. */
export function bind({ name, text, parameters }: Statement, given: Record<string, unknown>) {
  const values = parameters.map((parameter) => given[parameter]);
  if (Object.keys(given).length !== values.length || values.includes(undefined)) {
    throw new Error(`${name} takes ${parameters.join(', ')}, and was given ${Object.keys(given).join(', ')}`);
  }
  return { name, text, values };
}

/** Runs a statement in one round trip. */
export function run<Row extends pg.QueryResultRow>(
  db: Pick<Database, 'query'>,
  prepared: Statement,
  given: Record<string, unknown>,
): Promise<Row[]> {
  const { name, text, values } = bind(prepared, given);
  return db.query<Row>(name, text, values);
}
