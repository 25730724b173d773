import type { Database } from '../../db/orm.ts';

/**
 * An LP that missed its fiat deadline has lost the order, but may already have paid. It can upload evidence once,
 * within an hour, which does not run while the order is frozen, and begins again when an admin unfreezes it. An LP that released
 * the order cannot, because a release says that it has not paid.
 */
const LOST = `exists (
    select from lp_strike strike
    join order_event e on e.order_id = strike.order_id and e.seq = strike.seq and e.cause = 'deadline'
    join orders lost on lost.id = strike.order_id
    where strike.order_id = $1 and strike.lp_id = $2 and (
      lost.frozen_ms is not null
      or greatest(strike.created_at, (
        select max(created_at) from order_event where order_id = $1 and cause = 'unfreeze'
      )) > now() - interval '1 hour'
    )
  ) and not exists (
    select from order_event contest
    join orders on orders.id = contest.order_id and orders.frozen_ms is null
    where contest.order_id = $1 and contest.cause = 'freeze' and contest.actor = 'lp:' || $2::bigint
  )`;

/**
 * SQL for one row about a frozen order: the LP that froze it, or null if an admin did, or Corridor after a loss of commits. No row
 * if nobody has.
 */
export const contestingLpOf = (orderId: string): string => `
    select case when e.cause = 'freeze' and e.actor like 'lp:%' then substr(e.actor, 4)::bigint end as lp_id
    from order_event e
    where e.order_id = ${orderId} and e.cause in ('freeze', 'lost-commits') order by e.seq desc limit 1`;

const CONTESTING_LPS = `
  select o.id as "orderId", contest.lp_id as "lpId"
  from orders o, lateral (${contestingLpOf('o.id')}) contest
  where o.id = any ($1::bigint[]) and o.frozen_ms is not null and contest.lp_id is not null`;

/** The LPs that have contested the loss of these orders, by order. Only for orders that are frozen now. */
export async function contestingLps(db: Database, orderIds: number[]): Promise<Map<number, number>> {
  if (orderIds.length === 0) return new Map();
  const rows = await db.query<{ orderId: number; lpId: number }>('contesting-lps', CONTESTING_LPS, [
    orderIds,
  ]);
  return new Map(rows.map(({ orderId, lpId }) => [orderId, lpId]));
}

/** Whether an admin has found the evidence of an LP false and so has unfrozen the order. */
export async function wasEvidenceFalse(db: Database, orderId: number): Promise<boolean> {
  const sql = `select from lp_strike strike
    join order_event e on e.order_id = strike.order_id and e.seq = strike.seq and e.cause = 'unfreeze'
    join orders on orders.id = strike.order_id and orders.frozen_ms is null
    where strike.order_id = $1`;
  return (await db.query('evidence-was-false', sql, [orderId])).length > 0;
}

/** Whether the LP may upload evidence that it has paid an order which it lost. */
export async function mayProvePayment(db: Database, orderId: number, lpId: number): Promise<boolean> {
  const [row] = await db.query<{ may: boolean }>('may-prove-payment', `select ${LOST} as may`, [
    orderId,
    lpId,
  ]);
  return row?.may ?? false;
}

/**
 * The key of the LP's latest evidence, with which the LP may contest the loss of the order. Null: it may not contest
 * it.
 */
export async function contestableBy(db: Database, orderId: number, lpId: number): Promise<string | null> {
  const sql = `select receipt_key from receipt
    where order_id = $1 and lp_id = $2 and ${LOST} order by created_at desc limit 1`;
  const [row] = await db.query<{ receipt_key: string }>('evidence', sql, [orderId, lpId]);
  return row?.receipt_key ?? null;
}

/** A receipt of an LP that does not own its order. */
export interface FormerReceipt {
  receiptKey: string;
  lpId: number;
  lpName: string;
  at: Date;
}

/** SQL: `receipt` is of an LP that does not own its order `o`. */
export const IS_FORMER_RECEIPT = '(receipt.lp_id is distinct from o.lp_id or o.collateral_locked is null)';

const FORMER_RECEIPTS = `
  select receipt_key, receipt.lp_id, lp.display_name, receipt.created_at
  from receipt join orders o on o.id = receipt.order_id join lp on lp.id = receipt.lp_id
  where receipt.order_id = $1 and ${IS_FORMER_RECEIPT}
  order by receipt.created_at desc`;

/** The receipts of LPs that have lost the order, newest first. The order itself shows only those of its owner. */
export async function formerReceipts(db: Database, orderId: number): Promise<FormerReceipt[]> {
  const rows = await db.query<{
    receipt_key: string;
    lp_id: number;
    display_name: string;
    created_at: string;
  }>('former-receipts', FORMER_RECEIPTS, [orderId]);
  return rows.map((row) => ({
    ...{ receiptKey: row.receipt_key, lpId: row.lp_id, lpName: row.display_name },
    at: new Date(row.created_at),
  }));
}

const RECORD = `
  insert into receipt (receipt_key, order_id, lp_id, content_type, size)
  select $3, $1, $2, $4, $5 where ${LOST} and exists (select from orders where id = $1 and masked_at is null for update)
  returning receipt_key`;

export interface Evidence {
  receiptKey: string;
  orderId: number;
  lpId: number;
  type: string;
  /** Bytes. */
  size: number;
}

/** Records a stored receipt as evidence. The order, which may have another LP, does not show it. False: the LP may not. */
export async function recordEvidence(db: Database, evidence: Evidence): Promise<boolean> {
  const { receiptKey, orderId, lpId, type, size } = evidence;
  const rows = await db.query('evidence-record', RECORD, [orderId, lpId, receiptKey, type, size]);
  return rows.length > 0;
}
