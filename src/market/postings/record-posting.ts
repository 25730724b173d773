import { AdminPosting } from '../../db/entities/posting.ts';
import { violates } from '../../db/errors.ts';
import { ACCOUNTS, lpOfAccount } from '../../db/ledger/accounts.ts';
import { postBetween } from '../../db/ledger/post.ts';
import { isBelowZero, isOwed } from '../../db/ledger/refused-balance.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { offersBecomeDue } from '../lps/auto-claim-offers.ts';

/** The fields that every posting has besides its accounts. `amount` in USD, decimal string. */
export interface PostingNote {
  amount: string;
  reason: string;
  /** The admin who records it: `admin:3`. */
  recorded_by: string;
  /** The transaction that moved the money outside, with its chain. */
  transaction: { chain: NonNullable<AdminPosting['chain']>; tx_hash: string } | null;
  reference: string | null;
}

/** A posting of one of the kinds, with the fields that the kind needs. */
export type NewPosting = PostingNote &
  (
    | { kind: 'payout' }
    /** `lp_id` null: paid outside to the payer. */
    | { kind: 'compensation'; order_id: number; lp_id: number | null }
    | { kind: 'adjustment'; debit: string; credit: string; order_id: number | null }
  );

export const RECORD_POSTING = statement(
  'posting-record',
  `
with posting as (
  insert into admin_posting (kind, debit, debit_lp_id, credit, credit_lp_id, amount, reason, order_id,
    chain, tx_hash, reference, recorded_by, idempotency_key)
  values ($kind, $debit, $debitLpId, $credit, $creditLpId, $amount, $reason, $orderId,
    $chain, $txHash, $reference, $recordedBy, $idempotencyKey)
  on conflict (idempotency_key) do nothing returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, posting_id)
  select chain, $normalisedHash::varchar, id from posting where $normalisedHash is not null
),
${postBetween('posting')},
${offersBecomeDue('select credit_lp_id from posting where credit_lp_id is not null')}
select id from posting`,
);

export interface RecordedPosting {
  posting: AdminPosting;
  /** An earlier call recorded it, and this call posted nothing more. */
  replayed: boolean;
}

/**
 * Posts a transfer for an admin, once for each idempotency key. Throws `insufficient_balance` if the account has less,
 * and `balance_owed` if the money belongs to open orders or withdrawals. Throws `transaction_used` if the transaction
 * has paid for something else, and `idempotency_conflict` if the key belongs to another posting. Throws
 * `validation_failed` for an unknown LP, order or account.
 */
export async function recordPosting(
  db: Database,
  posting: NewPosting,
  idempotencyKey: string,
): Promise<RecordedPosting> {
  const row = rowOf(posting);
  const { debit_lp_id: debitLpId, credit_lp_id: creditLpId, order_id: orderId, tx_hash: txHash } = row;
  const { recorded_by: recordedBy, kind, debit, credit, amount, reason, chain, reference } = row;
  const [made] = await run<{ id: number }>(db, RECORD_POSTING, {
    ...{ kind, debit, debitLpId, credit, creditLpId, amount, reason, orderId, chain, txHash, reference },
    ...{ recordedBy, idempotencyKey, normalisedHash: txHash && normaliseTxHash(txHash) },
  }).catch((error) => {
    throw refusalOf(error, row) ?? error;
  });
  const found = await db.em().findOneOrFail(AdminPosting, { idempotency_key: idempotencyKey });
  if (!made && !isSame(found, row)) throw new DomainError('idempotency_conflict');
  return { posting: found, replayed: !made };
}

/** Throws `idempotency_conflict` if a posting has the key: a second admin would approve a request that posts nothing. */
export async function refuseUsedKey(db: Database, idempotencyKey: string): Promise<void> {
  const posted = await db.em().findOne(AdminPosting, { idempotency_key: idempotencyKey });
  if (posted)
    throw new DomainError(
      'idempotency_conflict',
      `Posting ${posted.id} was made with this Idempotency-Key: send another key if you want to post once more`,
    );
}

/** What makes two requests the same posting. Another admin may repeat it. */
const TERMS = [
  ...(['kind', 'debit', 'debit_lp_id', 'credit', 'credit_lp_id', 'amount', 'reason', 'order_id'] as const),
  ...(['chain', 'tx_hash', 'reference'] as const),
];
type Row = Required<Pick<AdminPosting, (typeof TERMS)[number] | 'recorded_by'>>;

function rowOf(posting: NewPosting): Row {
  const { kind, amount, reason, recorded_by, reference, transaction } = posting;
  const [debit, credit] = accountsOf(posting);
  return {
    ...{ kind, debit, debit_lp_id: lpOf('debit', debit), credit, credit_lp_id: lpOf('credit', credit) },
    ...{ amount, reason, order_id: posting.kind === 'payout' ? null : posting.order_id },
    ...{ chain: transaction?.chain ?? null, tx_hash: transaction?.tx_hash ?? null, reference, recorded_by },
  };
}

function accountsOf(posting: NewPosting): [debit: string, credit: string] {
  switch (posting.kind) {
    case 'payout':
      return [ACCOUNTS.platformFees, ACCOUNTS.outside];
    case 'compensation': {
      const harmed = posting.lp_id === null ? ACCOUNTS.outside : ACCOUNTS.lpAvailable(posting.lp_id);
      return [ACCOUNTS.platformSlashed, harmed];
    }
    case 'adjustment':
      return [posting.debit, posting.credit];
  }
}

function lpOf(side: 'debit' | 'credit', account: string): number | null {
  const lpId = lpOfAccount(account);
  if (lpId === undefined) throw invalidField(side, 'is not an account');
  return lpId;
}

const isSame = (earlier: AdminPosting, row: Row): boolean =>
  TERMS.every((field) =>
    field === 'amount' ? decimal(earlier.amount).eq(row.amount) : (earlier[field] ?? null) === row[field],
  );

/** The refusal for a constraint that a posting violates; undefined for any other error. */
function refusalOf(error: unknown, { kind, debit }: Row): DomainError | undefined {
  if (isBelowZero(error)) return new DomainError('insufficient_balance', `${debit} has less than that`);
  if (isOwed(error)) return new DomainError('balance_owed');
  if (violates(error, 'chain_transaction_pkey')) return new DomainError('transaction_used');
  if (violates(error, 'admin_posting_accounts_differ'))
    return invalidField('credit', 'must be another account');
  if (violates(error, 'admin_posting_transaction'))
    return invalidField('tx_hash', 'belongs to money that leaves or arrives: one account must be outside');
  if (violates(error, 'admin_posting_order_id_foreign'))
    return invalidField('order_id', 'there is no such order');
  if (violates(error, 'admin_posting_debit_lp_id_foreign'))
    return invalidField('debit', 'there is no such LP');
  if (violates(error, 'admin_posting_credit_lp_id_foreign'))
    return invalidField(kind === 'compensation' ? 'lp_id' : 'credit', 'there is no such LP');
  return undefined;
}
