import { violates } from '../db/errors.ts';
import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import { post } from '../ledger/post.ts';
import { offersBecomeDue } from '../lps/auto-claim-offers.ts';
import { crashPoint } from '../process/crash-point.ts';

export const CONFIRM_DEPOSIT = statement(
  'deposit-confirm',
  `
with deposit as (
  update collateral_deposit set status = 'confirmed', confirmed_at = now()
  where id = $depositId and status = 'pending' returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, deposit_id)
  select chain, $txHash::varchar, id from deposit where $txHash is not null
),
${post({ source: 'deposit', row: 'deposit', amounts: { credit: 'deposit.amount' } })},
${offersBecomeDue('select lp_id from deposit')}
select id from deposit`,
);

/** Credits a deposit once; a second confirmation changes nothing. Refuses a transaction that paid for something else. */
export async function confirmDeposit(db: Database, depositId: number, txHash: string | null): Promise<void> {
  try {
    await run(db, CONFIRM_DEPOSIT, { depositId, txHash: txHash && normaliseTxHash(txHash) });
    crashPoint('deposit.committed');
  } catch (error) {
    if (violates(error, 'chain_transaction_pkey')) throw new DomainError('transaction_used');
    throw error;
  }
}
