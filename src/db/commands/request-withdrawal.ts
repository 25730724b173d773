import { DatabaseError } from 'pg';
import { crashPoint } from '../../crash-point.ts';
import { DomainError } from '../../domain/errors.ts';
import { ACCOUNTS } from '../../domain/ledger.ts';
import { decimal } from '../../domain/money.ts';
import { CollateralWithdrawal } from '../entities/ledger.ts';
import type { Database } from '../orm.ts';

/** `amount` in USD, decimal string. */
export type WithdrawalTerms = Pick<CollateralWithdrawal, 'amount' | 'asset' | 'chain' | 'address'>;

export interface RequestedWithdrawal {
  withdrawal: CollateralWithdrawal;
  /** The request had been made before; nothing more is reserved. */
  replayed: boolean;
}

/** A balance below zero breaks a CHECK, and with it the whole statement. */
const REQUEST = `
  with w as (
    insert into collateral_withdrawal (lp_id, amount, asset, chain, address, idempotency_key)
    values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning *
  ),
  balance as (
    update lp_collateral l set available = l.available - w.amount, withdrawing = l.withdrawing + w.amount
    from w where l.lp_id = w.lp_id
  ),
  posted as (
    insert into ledger_transfer (key, debit, credit, amount, withdrawal_id)
    select 'withdrawal/' || id || '/request', '${ACCOUNTS.lpAvailable("' || lp_id || '")}',
      '${ACCOUNTS.lpWithdrawing("' || lp_id || '")}', amount, id
    from w
  )
  select id from w`;

/**
 * Reserves collateral for a withdrawal. Sent again it reserves nothing more: under the same key for ever, and without
 * one as long as a withdrawal of the same terms waits for its decision.
 * Throws `insufficient_collateral`, and `idempotency_conflict` when the key stands for other terms.
 */
export async function requestWithdrawal(
  db: Database,
  lpId: number,
  terms: WithdrawalTerms,
  idempotencyKey: string | null,
): Promise<RequestedWithdrawal> {
  const { amount, asset, chain, address } = terms;
  const values = [lpId, amount, asset, chain, address, idempotencyKey];
  const [made] = await db.query<{ id: number }>('withdrawal-request', REQUEST, values).catch((error) => {
    const short =
      error instanceof DatabaseError && error.constraint === 'lp_collateral_available_not_negative';
    throw short ? new DomainError('insufficient_collateral') : error;
  });
  if (made) {
    crashPoint('withdrawal.committed');
    const withdrawal = await db.em().findOneOrFail(CollateralWithdrawal, { id: made.id });
    return { withdrawal, replayed: false };
  }

  const mine = { lp_id: lpId, idempotency_key: idempotencyKey };
  const open = { ...mine, ...terms, status: 'requested' } as const;
  const earlier = await db.em().findOne(CollateralWithdrawal, idempotencyKey === null ? open : mine);
  // Decided a moment ago, so this is another request for the same.
  if (!earlier) return requestWithdrawal(db, lpId, terms, idempotencyKey);
  if (!sameTerms(earlier, terms)) throw new DomainError('idempotency_conflict');
  return { withdrawal: earlier, replayed: true };
}

const sameTerms = (a: WithdrawalTerms, b: WithdrawalTerms): boolean =>
  decimal(a.amount).eq(b.amount) && a.asset === b.asset && a.chain === b.chain && a.address === b.address;
