import { CollateralDeposit } from '../../db/entities/ledger.ts';
import { violates } from '../../db/errors.ts';
import { post } from '../../db/ledger/post.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import { crashPoint } from '../../process/crash-point.ts';
import { offersBecomeDue } from '../lps/auto-claim-offers.ts';

export const CONFIRM_DEPOSIT = statement(
  'deposit-confirm',
  `
with deposit as (
  update collateral_deposit
  set status = 'confirmed', confirmed_at = now(), tx_hash = coalesce($txHash::varchar, tx_hash)
  where id = $depositId and status = 'pending' and expires_at > now() returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, deposit_id)
  select chain, $normalisedHash::varchar, id from deposit where $normalisedHash is not null
),
${post({ source: 'deposit', row: 'deposit', amounts: { credit: 'deposit.amount' } })},
${offersBecomeDue('select lp_id from deposit')}
select id from deposit`,
);

/**
 * Credits a deposit once; a second confirmation changes nothing. `txHash` is its verified transaction, null only on a
 * simulated chain. Refuses with `transaction_used` a transaction that paid for something else, and with `deposit_expired`.
 */
export async function confirmDeposit(db: Database, depositId: number, txHash: string | null): Promise<void> {
  try {
    const given = { depositId, txHash, normalisedHash: txHash && normaliseTxHash(txHash) };
    const [confirmed] = await run(db, CONFIRM_DEPOSIT, given);
    crashPoint('deposit.committed');
    if (!confirmed) await requireConfirmed(db, depositId);
  } catch (error) {
    if (violates(error, 'chain_transaction_pkey')) throw new DomainError('transaction_used');
    throw error;
  }
}

/** Another call may have confirmed the deposit. Otherwise it has expired. */
async function requireConfirmed(db: Database, id: number): Promise<void> {
  const { status } = await db.em().findOneOrFail(CollateralDeposit, { id });
  if (status !== 'confirmed') throw new DomainError('deposit_expired');
}
