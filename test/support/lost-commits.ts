import type { Database } from '../../src/db/orm.ts';
import { UNSETTLED } from '../../src/operations/diagnosis/checks/sql.ts';
import { KEEP_EVENTS, LET_EVENTS_CHANGE } from './edit-events.ts';

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

/** Recomputes the balances of all LPs from their transfers, because other orders may have posted meanwhile. */
const RECOUNT = `
  update lp_collateral c set ${['available', 'locked', 'withdrawing']
    .map(
      (balance) => `${balance} = (
    select coalesce(sum(case when credit = a.name then amount else -amount end), 0)
    from (select 'lp:' || c.lp_id || ':${balance}' as name) a join ledger_transfer on a.name in (credit, debit))`,
    )
    .join(', ')}`;

const HELD = `
  from (
    select term.lp_id, term.currency, term.method,
      coalesce(sum(o.float_reserved) filter (where o.status in (${UNSETTLED})), 0) as reserved,
      coalesce(sum(o.float_reserved) filter (where o.status = 'completed'), 0) as used
    from lp_term term left join orders o
      on o.lp_id = term.lp_id and o.currency = term.currency and o.corridor_method = term.method
    group by term.lp_id, term.currency, term.method
  ) held
  where lp_term.lp_id = held.lp_id and lp_term.currency = held.currency and lp_term.method = held.method`;

/** No trigger runs when the rows are restored. So one statement returns all reserved and used floats, and the other takes them again. */
const COLLECT_FLOATS = `
  update lp_term set float_available = float_available + reserved + used, float_reserved = 0${HELD}`;
const DIVIDE_FLOATS = `
  update lp_term set float_available = float_available - reserved - used, float_reserved = reserved${HELD}`;

/**
 * Copies all rows of an order. The returned function restores them in one transaction, as after a failover to a standby
 * that lacks all later commits of the order. With `unlessEnded`, it changes nothing and returns false if the order has
 * ended meanwhile.
 */
export async function copyOrder(
  { pool }: Database,
  orderId: number,
): Promise<(options?: { unlessEnded?: boolean }) => Promise<boolean>> {
  const parts = tables.map(({ table, column }) => ({ table, where: `where ${column} = ${orderId}` }));
  // One statement, so that a concurrent step or attempt is in all of the copies or in none.
  const selected = parts.map(
    ({ table, where }) =>
      `(select coalesce(jsonb_agg(to_jsonb(t)), '[]') from ${table} t ${where})::text as ${table}`,
  );
  const { rows: found } = await pool.query<Record<string, string>>(`select ${selected.join(', ')}`);
  const copies = parts.map((part) => ({ ...part, rows: found[0]?.[part.table] }));
  return async ({ unlessEnded = false } = {}) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      // No trigger runs and no key is checked, as when a standby applies the log.
      await client.query('set local session_replication_role = replica');
      // These locks come first. Otherwise a posting could wait for the order while this transaction waits for the posting. A step
      // locks the two tables in the same order: it posts before it writes its event.
      await client.query('alter table ledger_transfer disable trigger ledger_transfer_append_only');
      await client.query(LET_EVENTS_CHANGE);
      const { rows: found } = await client.query('select status from orders where id = $1 for update', [
        orderId,
      ]);
      if (unlessEnded && ['completed', 'cancelled'].includes(found[0]?.status)) {
        await client.query('rollback');
        return false;
      }
      // A concurrent attempt would leave its row behind, and the next attempt could not have the same number.
      await client.query('select from webhook_delivery where order_id = $1 for update', [orderId]);
      await client.query(COLLECT_FLOATS);
      for (const { table, where } of copies) await client.query(`delete from ${table} ${where}`);
      for (const { table, rows } of copies)
        await client.query(
          `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
          [rows],
        );
      await client.query(RECOUNT);
      await client.query(DIVIDE_FLOATS);
      await client.query('alter table ledger_transfer enable always trigger ledger_transfer_append_only');
      await client.query(KEEP_EVENTS);
      await client.query('commit');
      return true;
    } finally {
      client.release(true);
    }
  };
}
