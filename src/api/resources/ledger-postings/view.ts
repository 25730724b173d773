import type { AdminPosting } from '../../../db/entities/posting.ts';
import type { PostingView } from './schemas.ts';

export const postingView = (row: AdminPosting): PostingView => ({
  id: row.id,
  kind: row.kind,
  debit: row.debit,
  credit: row.credit,
  amount: Number(row.amount),
  reason: row.reason,
  order_id: row.order_id ?? null,
  chain: row.chain ?? null,
  tx_hash: row.tx_hash ?? null,
  reference: row.reference ?? null,
  recorded_by: row.recorded_by,
  created_at: row.created_at.toISOString(),
});
