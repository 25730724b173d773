import { defineEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { DEPOSIT_STATUSES, type DepositStatus } from '../../domain/deposit-status.ts';
import { createdAt, id, instant, oneOf, references, usd } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** Collateral that an LP says it has sent; credited when confirmed. */
export const CollateralDeposit = defineEntity({
  name: 'CollateralDeposit',
  tableName: 'collateral_deposit',
  checks: [
    { name: 'collateral_deposit_amount_positive', expression: 'amount > 0' },
    { name: 'collateral_deposit_status_check', expression: oneOf('status', DEPOSIT_STATUSES) },
  ],
  indexes: [{ name: 'collateral_deposit_lp', properties: ['lp_id', 'id'] }],
  properties: {
    id: id(),
    lp_id: () => references(Lp, 'lp_id'),
    amount: usd(),
    asset: p.string().length(16),
    chain: p.string().length(16).$type<Chain>(),
    tx_hash: p.string().length(128).nullable(),
    status: p.string().length(16).$type<DepositStatus>().default('pending'),
    created_at: createdAt(),
    confirmed_at: instant().nullable(),
  },
});

/** Money moved between two accounts; append-only. `key` names what it was for, so that no replay posts it twice. */
export const LedgerTransfer = defineEntity({
  name: 'LedgerTransfer',
  tableName: 'ledger_transfer',
  checks: [
    { name: 'ledger_transfer_amount_positive', expression: 'amount > 0' },
    { name: 'ledger_transfer_accounts_differ', expression: 'debit <> credit' },
  ],
  indexes: [
    { name: 'ledger_transfer_debit', properties: ['debit'] },
    { name: 'ledger_transfer_credit', properties: ['credit'] },
  ],
  properties: {
    id: id(),
    /** `order/42/5/lock`, `deposit/7`. */
    key: p.string().length(64).unique(),
    /** The account the money leaves. */
    debit: p.string().length(64),
    /** The account the money reaches. */
    credit: p.string().length(64),
    amount: usd(),
    order_id: () => references(Order, 'order_id').nullable(),
    deposit_id: () => references(CollateralDeposit, 'deposit_id').nullable(),
    created_at: createdAt(),
  },
});
