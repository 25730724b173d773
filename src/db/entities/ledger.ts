import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { DEPOSIT_STATUSES, type DepositStatus } from '../../domain/deposit-status.ts';
import { WITHDRAWAL_STATUSES, type WithdrawalStatus } from '../../domain/withdrawal-status.ts';
import { createdAt, id, indexesOf, instant, oneOf, references, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';
import { AdminPosting } from './posting.ts';

/** Collateral that an LP announces. Corridor credits it when a transfer of exactly its amount is verified. */
export const CollateralDeposit = defineEntity({
  name: 'CollateralDeposit',
  tableName: 'collateral_deposit',
  checks: [
    { name: 'collateral_deposit_amount_positive', expression: 'amount > 0' },
    { name: 'collateral_deposit_status_check', expression: oneOf('status', DEPOSIT_STATUSES) },
  ],
  indexes: [
    { name: 'collateral_deposit_lp', properties: ['lp_id', 'id'] },
    ...indexesOf(
      `create index "collateral_deposit_pending" on "collateral_deposit" ("lp_id", "expires_at") where status = 'pending'`,
    ),
  ],
  properties: {
    id: id(),
    lp_id: () => references(Lp, 'lp_id'),
    /** The exact amount that the transfer must pay and that Corridor credits: the announced amount plus its suffix. */
    amount: usd(),
    asset: p.string().length(16),
    chain: p.string().length(16).$type<Chain>(),
    /**
     * As the LP wrote it. Until the deposit is verified, the hash from the announcement; then that of the verified
     * transaction.
     */
    tx_hash: p.string().length(128).nullable(),
    status: p.string().length(16).$type<DepositStatus>().default('pending'),
    /** How often Corridor has looked for its transaction on the chain. */
    lookups: p.integer().default(0),
    created_at: createdAt(),
    /** The deposit cannot be confirmed after this time. */
    expires_at: instant(),
    confirmed_at: instant().nullable(),
  },
});
export type CollateralDeposit = InferEntity<typeof CollateralDeposit>;

/** A withdrawal of an LP's collateral: reserved on request, paid out when paid, available again when rejected. */
export const CollateralWithdrawal = defineEntity({
  name: 'CollateralWithdrawal',
  tableName: 'collateral_withdrawal',
  checks: [
    { name: 'collateral_withdrawal_amount_positive', expression: 'amount > 0' },
    { name: 'collateral_withdrawal_status_check', expression: oneOf('status', WITHDRAWAL_STATUSES) },
    {
      name: 'collateral_withdrawal_decided',
      expression: `(status = 'requested') = (decided_at is null) and (status = 'rejected') = (reason is not null)`,
    },
  ],
  indexes: [
    { name: 'collateral_withdrawal_lp', properties: ['lp_id', 'id'] },
    { name: 'collateral_withdrawal_amount', properties: ['amount', 'asset', 'chain'] },
  ],
  uniques: [
    { name: 'collateral_withdrawal_key', properties: ['lp_id', 'idempotency_key'] },
    ...indexesOf(
      // Makes a request without an Idempotency-Key safe to repeat while it is undecided.
      `create unique index "collateral_withdrawal_open" on "collateral_withdrawal" ("lp_id", "amount", "asset", "chain", "address") where status = 'requested' and idempotency_key is null`,
    ),
  ],
  properties: {
    id: id(),
    lp_id: () => references(Lp, 'lp_id'),
    amount: usd(),
    asset: p.string().length(16),
    chain: p.string().length(16).$type<Chain>(),
    /** The LP's address for the payout. */
    address: p.string().length(128),
    status: p.string().length(16).$type<WithdrawalStatus>().default('requested'),
    /** The request's `Idempotency-Key`. */
    idempotency_key: p.string().length(255).nullable(),
    /** The payout's transaction, as the admin wrote it. */
    tx_hash: p.string().length(128).nullable(),
    /** The reason of a rejection, for the LP. */
    reason: p.string().length(500).nullable(),
    created_at: createdAt(),
    decided_at: instant().nullable(),
  },
});
export type CollateralWithdrawal = InferEntity<typeof CollateralWithdrawal>;

/** Money moved between two accounts; a trigger keeps the table append-only. Only `src/db/ledger/post.ts` writes it. */
export const LedgerTransfer = defineEntity({
  name: 'LedgerTransfer',
  tableName: 'ledger_transfer',
  checks: [
    { name: 'ledger_transfer_amount_positive', expression: 'amount > 0' },
    { name: 'ledger_transfer_accounts_differ', expression: 'debit <> credit' },
  ],
  indexes: [
    { name: 'ledger_transfer_time', properties: ['created_at', 'id'] },
    { name: 'ledger_transfer_debit', properties: ['debit'] },
    { name: 'ledger_transfer_credit', properties: ['credit'] },
    ...indexesOf(
      `create index "ledger_transfer_fees" on "ledger_transfer" ("debit", "id") where credit = 'platform:fees'`,
    ),
  ],
  properties: {
    id: id(),
    /**
     * Source and purpose, so that no replay posts twice: `order/42/5/lock`, `deposit/7`, `withdrawal/3/request`,
     * `posting/9`.
     */
    key: p.string().length(64).unique(),
    /** The account the money leaves. */
    debit: p.string().length(64),
    /** The account the money reaches. */
    credit: p.string().length(64),
    amount: usd(),
    order_id: () => references(Order, 'order_id').nullable(),
    deposit_id: () => references(CollateralDeposit, 'deposit_id').nullable(),
    withdrawal_id: () => references(CollateralWithdrawal, 'withdrawal_id').nullable(),
    posting_id: () => references(AdminPosting, 'posting_id').nullable(),
    created_at: createdAt(),
  },
});
