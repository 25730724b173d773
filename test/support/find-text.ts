import type { Database } from '../../src/db/orm.ts';

const COLUMNS = `
  select c.table_name as "table", c.column_name as "column" from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
    and (c.data_type in ('text', 'character varying', 'character', 'json', 'jsonb', 'bytea') or c.data_type = 'ARRAY')
  order by 1, 2`;

/** The columns of all tables, such as `orders.recipient`, in which some row contains the text. */
export async function columnsWith({ pool }: Pick<Database, 'pool'>, text: string): Promise<string[]> {
  const { rows } = await pool.query<{ table: string; column: string }>(COLUMNS);
  const parts = rows.map(
    ({ table, column }) =>
      `select '${table}.${column}' as place where exists (select from "${table}"
        where position($1 in "${column}"::text) > 0 or position(encode($1::bytea, 'hex') in "${column}"::text) > 0)`,
  );
  const found = await pool.query<{ place: string }>(parts.join(' union all '), [text]);
  return found.rows.map(({ place }) => place);
}
