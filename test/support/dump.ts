import type { Database } from '../../src/db/orm.ts';

/** Tables that change without a request: heartbeats and rate windows. */
const VOLATILE = new Set([
  'process_heartbeat',
  'service_heartbeat',
  'chain_contact',
  'reconciler_progress',
  'reserve_check',
  'rate_window',
  'agent_request_count',
  'feed_cursor',
  'socket_slot',
]);

/** Returns every row of every table as text, by table. */
export async function dumpOf({ pool }: Database): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1",
  );
  const dump = new Map<string, string>();
  for (const { name } of rows) {
    const table = await pool.query<{ row: string }>(`select t::text as row from "${name}" t order by 1`);
    dump.set(name, table.rows.map(({ row }) => row).join('\n'));
  }
  return dump;
}

/** Returns the tables of orders, money, keys and people. A refused call must not change them. */
export async function businessTables(db: Database): Promise<Record<string, string>> {
  return Object.fromEntries([...(await dumpOf(db))].filter(([name]) => !VOLATILE.has(name)));
}
