import { CollateralWithdrawal } from '../../db/entities/ledger.ts';
import { violates } from '../../db/errors.ts';
import { isInsufficientCollateral } from '../../db/ledger/insufficient-collateral.ts';
import { post } from '../../db/ledger/post.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { DomainError } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { crashPoint } from '../../process/crash-point.ts';
import { warnLp } from '../lps/warn-lp.ts';

/** `amount` in USD, decimal string. */
export type WithdrawalTerms = Pick<CollateralWithdrawal, 'amount' | 'asset' | 'chain' | 'address'>;

export interface RequestedWithdrawal {
  withdrawal: CollateralWithdrawal;
  /** An earlier call made the same request, and this call reserved nothing more. */
  replayed: boolean;
}

/** The request, for the webhook `lp.withdrawal_requested`: a thief of the LP's key could have sent it. */
const REQUEST = `json_build_object('id', withdrawal.id, 'amount', withdrawal.amount, 'asset', withdrawal.asset,
        'chain', withdrawal.chain, 'address', withdrawal.address)`;

export const REQUEST_WITHDRAWAL = statement(
  'withdrawal-request',
  `
with withdrawal as (
  insert into collateral_withdrawal (lp_id, amount, asset, chain, address, idempotency_key)
  values ($lpId, $amount, $asset, $chain, $address, $idempotencyKey)
  on conflict do nothing returning *
),
${post({ source: 'withdrawal', row: 'withdrawal', amounts: { request: 'withdrawal.amount' } })},
${warnLp('lp.withdrawal_requested', 'withdrawal', REQUEST)}
select id from withdrawal`,
);

/**
 * Reserves collateral for a withdrawal. A repeated request reserves nothing more: with an idempotency key permanently,
 * without one until an admin has decided the earlier withdrawal with the same terms. A trigger reserves the amount.
 * Throws `insufficient_collateral`, `amount_in_use` if a payer owes exactly the amount, and `idempotency_conflict` when
 * the key belongs to other terms.
 */
export async function requestWithdrawal(
  db: Database,
  lpId: number,
  terms: WithdrawalTerms,
  idempotencyKey: string | null,
): Promise<RequestedWithdrawal> {
  const { amount, asset, chain, address } = terms;
  const given = { lpId, amount, asset, chain, address, idempotencyKey };
  const [made] = await run<{ id: number }>(db, REQUEST_WITHDRAWAL, given).catch((error) => {
    if (isInsufficientCollateral(error)) throw new DomainError('insufficient_collateral');
    if (violates(error, 'reserved_amount_pkey')) throw new DomainError('amount_in_use');
    throw error;
  });
  if (made) {
    crashPoint('withdrawal.committed');
    const withdrawal = await db.em().findOneOrFail(CollateralWithdrawal, { id: made.id });
    return { withdrawal, replayed: false };
  }

  const mine = { lp_id: lpId, idempotency_key: idempotencyKey };
  const open = { ...mine, ...terms, status: 'requested' } as const;
  const earlier = await db.em().findOne(CollateralWithdrawal, idempotencyKey === null ? open : mine);
  // An admin has decided the earlier withdrawal in the meantime, so this request is a new one.
  if (!earlier) return requestWithdrawal(db, lpId, terms, idempotencyKey);
  if (!sameTerms(earlier, terms)) throw new DomainError('idempotency_conflict');
  return { withdrawal: earlier, replayed: true };
}

const sameTerms = (a: WithdrawalTerms, b: WithdrawalTerms): boolean =>
  decimal(a.amount).eq(b.amount) && a.asset === b.asset && a.chain === b.chain && a.address === b.address;
