import type { Database } from '../../../db/orm.ts';
import { run, type Statement } from '../../../db/statement.ts';
import type { Range } from './schemas.ts';

/** Rows of one statement. The next one runs only when the client has read most of these. */
const PAGE = 1_000;

/** A row with the time and the id by which its table is read. `at`: PostgreSQL's text, which is exact. */
export interface KeyedRow extends Record<string, unknown> {
  at: string;
  id: number;
}

/** PostgreSQL's text of a time in ISO 8601. */
export const isoTime = (text: string): string => new Date(text).toISOString();

/**
 * Reads the rows of a range page by page. So an export holds no connection and no snapshot while its client reads slowly,
 * and ends with its client. The statement takes `from`, `to`, `afterAt`, `afterId` and `limit`, and orders by time and id.
 */
export async function* readPages<Row extends KeyedRow>(
  db: Database,
  statement: Statement,
  { from, to }: Range,
  others: Record<string, unknown> = {},
): AsyncGenerator<Row[]> {
  let after = { afterAt: '-infinity', afterId: 0 };
  for (;;) {
    const rows = await run<Row>(db, statement, { from, to, ...after, ...others, limit: PAGE });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { afterAt: last.at, afterId: last.id };
  }
}

/** A condition on the rows of a range that the pages before have not returned, and their order. */
export const pageOfRange = (table: string, column: string): string => `
    ${table}.${column} >= $from::timestamptz and ${table}.${column} < $to::timestamptz
    and (${table}.${column}, ${table}.id) > ($afterAt::timestamptz, $afterId::bigint)
  order by ${table}.${column}, ${table}.id limit $limit::int`;
