import { crashPoint } from '../../crash-point.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import { ACCOUNTS } from '../../domain/ledger.ts';
import { CollateralWithdrawal } from '../entities/ledger.ts';
import type { Database } from '../orm.ts';

/** What an admin makes of a withdrawal: paid out, by a transaction if it is told; or rejected, and why. */
export type WithdrawalDecision =
  | { status: 'paid'; tx_hash: string | null; reason: null }
  | { status: 'rejected'; tx_hash: null; reason: string };

const lp = "' || lp_id || '";

/** The first decision moves the money; any other finds nothing to change. */
const decide = (purpose: string, credit: string, availableGets: string) => `
  with w as (
    update collateral_withdrawal set status = $2, tx_hash = $3, reason = $4, decided_at = now()
    where id = $1 and status = 'requested' returning *
  ),
  balance as (
    update lp_collateral l set withdrawing = l.withdrawing - w.amount, available = l.available + ${availableGets}
    from w where l.lp_id = w.lp_id
  )
  insert into ledger_transfer (key, debit, credit, amount, withdrawal_id)
  select 'withdrawal/' || id || '/${purpose}', '${ACCOUNTS.lpWithdrawing(lp)}', '${credit}', amount, id from w`;

const DECIDE: Record<WithdrawalDecision['status'], string> = {
  paid: decide('payout', ACCOUNTS.outside, '0'),
  rejected: decide('return', ACCOUNTS.lpAvailable(lp), 'w.amount'),
};

/**
 * Pays a withdrawal out or rejects it, once; gives it as it then is. The same decision again changes nothing.
 * Throws `not_found`, and `withdrawal_decided` when it has been decided otherwise.
 */
export async function decideWithdrawal(
  db: Database,
  id: number,
  decision: WithdrawalDecision,
): Promise<CollateralWithdrawal> {
  const { status, tx_hash, reason } = decision;
  await db.query(`withdrawal-${status}`, DECIDE[status], [id, status, tx_hash, reason]);
  crashPoint('withdrawal.decided');
  const withdrawal = await db.em().findOne(CollateralWithdrawal, { id });
  if (!withdrawal) throw new DomainError('not_found');
  if (!isDecided(withdrawal, decision)) {
    throw new DomainError(
      'withdrawal_decided',
      `This withdrawal has been decided otherwise: ${told(withdrawal)}`,
    );
  }
  return withdrawal;
}

const isDecided = (
  withdrawal: CollateralWithdrawal,
  { status, tx_hash, reason }: WithdrawalDecision,
): boolean =>
  withdrawal.status === status &&
  normalised(withdrawal.tx_hash) === normalised(tx_hash) &&
  (withdrawal.reason ?? null) === reason;

const normalised = (txHash: string | null | undefined) => (txHash ? normaliseTxHash(txHash) : null);

const told = ({ status, tx_hash, reason }: CollateralWithdrawal): string =>
  [status, tx_hash && `with ${tx_hash}`, reason && `"${reason}"`].filter(Boolean).join(' ');
