import { DatabaseError } from 'pg';
import { crashPoint } from '../../crash-point.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import { ACCOUNTS } from '../../domain/ledger.ts';
import type { Database } from '../orm.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

const CONFIRM = `
  with deposit as (
    update collateral_deposit set status = 'confirmed', confirmed_at = now()
    where id = $1 and status = 'pending' returning *
  ),
  used as (
    insert into chain_transaction (chain, tx_hash, deposit_id)
    select chain, $2::varchar, id from deposit where $2 is not null
  ),
  balance as (
    update lp_collateral l set available = l.available + deposit.amount from deposit where l.lp_id = deposit.lp_id
  ),
  ${offersBecomeDue('select lp_id from deposit')}
  insert into ledger_transfer (key, debit, credit, amount, deposit_id)
  select 'deposit/' || id, '${ACCOUNTS.outside}', '${ACCOUNTS.lpAvailable("' || lp_id || '")}', amount, id from deposit`;

/** Credits a deposit, once: confirmed again it changes nothing. A transaction that paid for something else is refused. */
export async function confirmDeposit(db: Database, depositId: number, txHash: string | null): Promise<void> {
  try {
    await db.query('deposit-confirm', CONFIRM, [depositId, txHash && normaliseTxHash(txHash)]);
    crashPoint('deposit.committed');
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'chain_transaction_pkey') {
      throw new DomainError('transaction_used');
    }
    throw error;
  }
}
