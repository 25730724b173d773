import type { Database } from '../../src/db/orm.ts';

/** The tables that a step writes, with the column that names the order or the LP. */
const OF_ORDER = [
  'orders.id',
  ...[
    'order_event',
    'order_outcome',
    'idempotency_key',
    'ledger_transfer',
    'lp_strike',
    'free_release',
    'payment_verdict',
  ],
  ...['chain_transaction', 'webhook_attempt', 'webhook_delivery', 'reserved_amount', 'rate_lock'],
];
const tables = OF_ORDER.map((name) => {
  const [table = '', named = 'order_id'] = name.split('.');
  // The copy of an attempt is deleted before that of its delivery.
  const column =
    table === 'webhook_attempt'
      ? '(select d.order_id from webhook_delivery d where d.id = delivery_id)'
      : named;
  return { table, column };
});

/** The balances of all LPs, from their transfers: other orders may have posted meanwhile. */
const RECOUNT = `
  update lp_collateral c set ${['available', 'locked', 'withdrawing']
    .map(
      (balance) => `${balance} = (
    select coalesce(sum(case when credit = a.name then amount else -amount end), 0)
    from (select 'lp:' || c.lp_id || ':${balance}' as name) a join ledger_transfer on a.name in (credit, debit))`,
    )
    .join(', ')}`;

/**
 * Copies what the database has of an order. The function that it returns makes this the present again, in one transaction:
 * as after a failover to a standby that lacks all later commits of the order. If `unlessEnded` and the order has ended
 * meanwhile, it changes nothing and returns false.
 */
export async function copyOrder(
  { pool }: Database,
  orderId: number,
): Promise<(options?: { unlessEnded?: boolean }) => Promise<boolean>> {
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
  return async ({ unlessEnded = false } = {}) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      // No trigger runs and no key is checked, as when a standby applies the log.
      await client.query('set local session_replication_role = replica');
      // First, so that no posting waits for the order while this waits for the posting.
      await client.query('alter table ledger_transfer disable trigger ledger_transfer_append_only');
      const { rows: found } = await client.query('select status from orders where id = $1 for update', [
        orderId,
      ]);
      if (unlessEnded && ['completed', 'cancelled'].includes(found[0]?.status)) {
        await client.query('rollback');
        return false;
      }
      for (const { table, where } of copies) await client.query(`delete from ${table} ${where}`);
      for (const { table, rows } of copies)
        await client.query(
          `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
          [rows],
        );
      await client.query(RECOUNT);
      await client.query('alter table ledger_transfer enable always trigger ledger_transfer_append_only');
      await client.query('commit');
      return true;
    } finally {
      client.release(true);
    }
  };
}
