import type { CollateralWithdrawal } from '../../../db/entities/ledger.ts';
import type { ListedWithdrawal, Withdrawal } from './schemas.ts';

/** The LP's view of a withdrawal. */
export const withdrawalView = (row: CollateralWithdrawal): Withdrawal => ({
  id: row.id,
  amount: Number(row.amount),
  asset: row.asset,
  chain: row.chain,
  address: row.address,
  status: row.status,
  tx_hash: row.tx_hash ?? null,
  reason: row.reason ?? null,
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
});

/** The admins' view of a withdrawal. */
export const adminWithdrawalView = (row: CollateralWithdrawal): ListedWithdrawal => ({
  ...withdrawalView(row),
  lp_id: row.lp_id,
});
