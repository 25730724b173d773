import { ACCOUNTS } from '../../db/ledger/accounts.ts';
import type { Database } from '../../db/orm.ts';

/** USD, decimal strings. */
export interface Balance {
  available: string;
  locked: string;
  /** Reserved for withdrawals that wait for an admin's decision. */
  withdrawing: string;
  total: string;
}

const BALANCE = `
  select available, locked, withdrawing, available + locked + withdrawing as total
  from lp_collateral where lp_id = $1`;

export async function balanceOf(db: Database, lpId: number): Promise<Balance> {
  const [row] = await db.query<Balance>('lp-balance', BALANCE, [lpId]);
  if (!row) throw new Error(`LP ${lpId} has no collateral account`);
  return row;
}

export interface Fee {
  order_id: number;
  amount: string;
  created_at: string;
}

const FEES = `
  select order_id, amount, created_at from ledger_transfer
  where debit = $1 and credit = '${ACCOUNTS.platformFees}' and order_id is not null
  order by id desc limit $2`;

/** The newest fees that an LP paid. */
export const feesOf = (db: Database, lpId: number, limit: number): Promise<Fee[]> =>
  db.query<Fee>('lp-fees', FEES, [ACCOUNTS.lpAvailable(lpId), limit]);
