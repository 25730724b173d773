import { CollateralWithdrawal } from '../../db/entities/ledger.ts';
import { violates } from '../../db/errors.ts';
import type { Purpose } from '../../db/ledger/accounts.ts';
import { post } from '../../db/ledger/post.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import { crashPoint } from '../../process/crash-point.ts';

/** An admin's decision on a withdrawal: paid, with its transaction if the admin names it; or rejected, with a reason. */
export type WithdrawalDecision =
  | { status: 'paid'; tx_hash: string | null; reason: null }
  | { status: 'rejected'; tx_hash: null; reason: string };

/** The first decision moves the money. A later decision finds nothing to change. */
const decisionStatement = (status: WithdrawalDecision['status'], purpose: Purpose<'withdrawal'>) =>
  statement(
    `withdrawal-${status}`,
    `
with withdrawal as (
  update collateral_withdrawal set status = '${status}', tx_hash = $txHash, reason = $reason, decided_at = now()
  where id = $id and status = 'requested' returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, withdrawal_id)
  select chain, $normalisedHash::varchar, id from withdrawal where $normalisedHash is not null
),
${post({ source: 'withdrawal', row: 'withdrawal', amounts: { [purpose]: 'withdrawal.amount' } })}
select id from withdrawal`,
  );

export const DECIDE_WITHDRAWAL = {
  paid: decisionStatement('paid', 'payout'),
  rejected: decisionStatement('rejected', 'return'),
};

/**
 * Pays or rejects a withdrawal once, and returns it with its decision. The same decision again changes nothing.
 * Throws `not_found`, `withdrawal_decided` after a different decision, and `transaction_used` if the payout's transaction
 * has paid something else.
 */
export async function decideWithdrawal(
  db: Database,
  id: number,
  decision: WithdrawalDecision,
): Promise<CollateralWithdrawal> {
  const { status, tx_hash: txHash, reason } = decision;
  const given = { id, txHash, normalisedHash: normalised(txHash), reason };
  await run(db, DECIDE_WITHDRAWAL[status], given).catch((error) => {
    throw violates(error, 'chain_transaction_pkey') ? new DomainError('transaction_used') : error;
  });
  crashPoint('withdrawal.decided');
  const withdrawal = await db.em().findOne(CollateralWithdrawal, { id });
  if (!withdrawal) throw new DomainError('not_found');
  if (!isDecidedSo(withdrawal, decision)) throw alreadyDecided(withdrawal);
  return withdrawal;
}

/** Throws `withdrawal_decided` after any decision: another admin should not be asked to approve what is decided. */
export function refuseDecided(withdrawal: CollateralWithdrawal): void {
  if (withdrawal.status !== 'requested') throw alreadyDecided(withdrawal);
}

const alreadyDecided = (withdrawal: CollateralWithdrawal): DomainError =>
  new DomainError(
    'withdrawal_decided',
    `This withdrawal is already decided: ${describeDecision(withdrawal)}`,
  );

const isDecidedSo = (
  withdrawal: CollateralWithdrawal,
  { status, tx_hash, reason }: WithdrawalDecision,
): boolean =>
  withdrawal.status === status &&
  normalised(withdrawal.tx_hash) === normalised(tx_hash) &&
  (withdrawal.reason ?? null) === reason;

const normalised = (txHash: string | null | undefined) => (txHash ? normaliseTxHash(txHash) : null);

const describeDecision = ({ status, tx_hash, reason }: CollateralWithdrawal): string =>
  [status, tx_hash && `with ${tx_hash}`, reason && `"${reason}"`].filter(Boolean).join(' ');
