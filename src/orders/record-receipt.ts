import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import type { ReceiptType } from '../domain/receipt-type.ts';

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
 * `lp_id` is the quoted LP; only a claim locks collateral. No receipt comes back after the order is masked.
 */
const OWNED = 'id = $orderId and lp_id = $lpId and collateral_locked is not null and masked_at is null';

const OWNER = statement('receipt-owner', `select 1 from orders where ${OWNED}`);

/** Whether the LP owns the order, and so may upload a receipt for it. */
export async function ownsOrder(db: Database, orderId: number, lpId: number): Promise<boolean> {
  return (await run(db, OWNER, { orderId, lpId })).length > 0;
}

const COUNT = statement(
  'receipt-count',
  'select count(*)::int as receipts from receipt where order_id = $orderId and lp_id = $lpId',
);

/** How many receipts the LP has uploaded for the order, as proof or as evidence. */
export async function countReceipts(db: Database, orderId: number, lpId: number): Promise<number> {
  const [row] = await run<{ receipts: number }>(db, COUNT, { orderId, lpId });
  return row?.receipts ?? 0;
}

const RECORD = statement(
  'receipt-record',
  `
  with o as (update orders set receipt_url = $receiptUrl where ${OWNED} returning id, lp_id)
  insert into receipt (receipt_key, order_id, lp_id, content_type, size)
  select $receiptKey, o.id, o.lp_id, $type, $size from o
  returning receipt_key`,
);

/**
 * Makes a stored receipt the order's latest one. Returns false, and writes nothing, if the LP does not own the order.
 * It leaves the order's version: a receipt is no transition.
 */
export async function recordReceipt(db: Database, receipt: NewReceipt): Promise<boolean> {
  return (await run(db, RECORD, { ...receipt })).length > 0;
}
