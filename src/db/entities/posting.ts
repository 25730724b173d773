import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { POSTING_KINDS, type PostingKind } from '../../domain/posting.ts';
import { createdAt, id, oneOf, references, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** A transfer that an admin posted, with its reason. A trigger keeps the table append-only. */
export const AdminPosting = defineEntity({
  name: 'AdminPosting',
  tableName: 'admin_posting',
  checks: [
    { name: 'admin_posting_kind_check', expression: oneOf('kind', POSTING_KINDS) },
    { name: 'admin_posting_amount_positive', expression: 'amount > 0' },
    { name: 'admin_posting_accounts_differ', expression: 'debit <> credit' },
    { name: 'admin_posting_debit_known', expression: 'is_account(debit, debit_lp_id)' },
    { name: 'admin_posting_credit_known', expression: 'is_account(credit, credit_lp_id)' },
    {
      name: 'admin_posting_accounts_of_kind',
      expression: 'is_posting_of_kind(kind, debit, credit, order_id)',
    },
    {
      name: 'admin_posting_transaction',
      expression: `(chain is null) = (tx_hash is null) and (tx_hash is null or debit = 'outside' or credit = 'outside')`,
    },
  ],
  properties: {
    id: id(),
    kind: p.string().length(16).$type<PostingKind>(),
    /** The account the money leaves. */
    debit: p.string().length(64),
    /** The LP of that account; null for an account that belongs to no LP. */
    debit_lp_id: () => references(Lp, 'debit_lp_id').nullable(),
    /** The account the money reaches. */
    credit: p.string().length(64),
    credit_lp_id: () => references(Lp, 'credit_lp_id').nullable(),
    amount: usd(),
    reason: p.string().length(500),
    /** The order that this transfer corrects. */
    order_id: () => references(Order, 'order_id').nullable(),
    /** The transaction in which money left or arrived, as the admin wrote it, with its chain. */
    chain: p.string().length(16).$type<Chain>().nullable(),
    tx_hash: p.string().length(128).nullable(),
    /** Another reference to the movement, such as a bank's reference or a ticket. */
    reference: p.string().length(200).nullable(),
    /** The name that the person gave. */
    recorded_by: p.string().length(100),
    /** The request's `Idempotency-Key`. */
    idempotency_key: p.string().length(255).unique(),
    created_at: createdAt(),
  },
});
export type AdminPosting = InferEntity<typeof AdminPosting>;

/**
 * Keeps the platform's accounts from falling below zero: a trigger on `ledger_transfer` writes the account's sum here when
 * money leaves it. Money that has arrived since is not in `balance`.
 */
export const PlatformAccount = defineEntity({
  name: 'PlatformAccount',
  tableName: 'platform_account',
  checks: [{ name: 'platform_account_not_negative', expression: 'balance >= 0' }],
  properties: {
    name: p.string().length(64).primary(),
    balance: usd().default('0'),
  },
});
