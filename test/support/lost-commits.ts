import type { Database } from '../../src/db/orm.ts';

/** The tables that a step writes, with the column that names the order or the LP. */
const OF_ORDER = [
  'orders.id',
  ...['order_event', 'order_outcome', 'idempotency_key', 'ledger_transfer', 'lp_strike', 'payment_verdict'],
  ...['chain_transaction', 'webhook_delivery', 'webhook_attempt', 'reserved_amount', 'rate_lock'],
];
const tables = OF_ORDER.map((name) => {
  const [table = '', column = 'order_id'] = name.split('.');
  return { table, column };
});

/**
 * Copies what the database has of an order and of its LPs' collateral. The function that it returns makes this the present
 * again, in one transaction: as after a failover to a standby that lacks all later commits.
 */
export async function copyOrder({ pool }: Database, orderId: number): Promise<() => Promise<void>> {
  const rowsOf = async (table: string, where: string) =>
    JSON.stringify(
      (await pool.query(`select coalesce(jsonb_agg(to_jsonb(t)), '[]') as rows from ${table} t ${where}`))
        .rows[0].rows,
    );
  const copies: { table: string; where: string; rows: string }[] = [];
  for (const { table, column } of tables) {
    const where = `where ${column} = ${orderId}`;
    copies.push({ table, where, rows: await rowsOf(table, where) });
  }
  copies.push({ table: 'lp_collateral', where: '', rows: await rowsOf('lp_collateral', '') });
  return async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      // No trigger runs and no key is checked, as when a standby applies the log.
      await client.query('set local session_replication_role = replica');
      await client.query('alter table ledger_transfer disable trigger ledger_transfer_append_only');
      for (const { table, where } of copies) await client.query(`delete from ${table} ${where}`);
      for (const { table, rows } of copies)
        await client.query(
          `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
          [rows],
        );
      await client.query('alter table ledger_transfer enable always trigger ledger_transfer_append_only');
      await client.query('commit');
    } finally {
      client.release(true);
    }
  };
}
