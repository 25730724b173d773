import type { Database } from '../../../db/orm.ts';
import type { ReceiptType } from '../../../domain/receipt-type.ts';

export interface NewReceipt {
  receiptKey: string;
  receiptUrl: string;
  orderId: number;
  lpId: number;
  type: ReceiptType;
  /** Bytes. */
  size: number;
}

/**
 * An LP owns an order from its claim until the order is reoffered, and also after the order has ended. Before a claim,
 * `lp_id` is the quoted LP; only a claim locks collateral.
 */
const OWNED = 'id = $1 and lp_id = $2 and collateral_locked is not null';

/** Whether the LP owns the order, and so may upload a receipt for it. */
export async function ownsOrder(db: Database, orderId: number, lpId: number): Promise<boolean> {
  const rows = await db.query('receipt-owner', `select 1 from orders where ${OWNED}`, [orderId, lpId]);
  return rows.length > 0;
}

const RECORD = `
  with o as (update orders set receipt_url = $4 where ${OWNED} returning id, lp_id)
  insert into receipt (receipt_key, order_id, lp_id, content_type, size)
  select $3, o.id, o.lp_id, $5, $6 from o
  returning receipt_key`;

/**
 * Makes a stored receipt the order's latest one. Returns false, and writes nothing, if the LP does not own the order.
 */
export async function recordReceipt(db: Database, receipt: NewReceipt): Promise<boolean> {
  const { orderId, lpId, receiptKey, receiptUrl, type, size } = receipt;
  const rows = await db.query('receipt-record', RECORD, [orderId, lpId, receiptKey, receiptUrl, type, size]);
  return rows.length > 0;
}
