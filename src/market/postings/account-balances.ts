import { ACCOUNTS, BALANCE_COLUMNS } from '../../db/ledger/accounts.ts';
import type { Database } from '../../db/orm.ts';

export interface AccountBalance {
  /** An account, or `lp:*:available` and so on: the accounts of all LPs. */
  account: string;
  /** USD, decimal string. The balance of `outside` is negative: minus the deposits that have not been withdrawn. */
  balance: string;
}

const SUMMED = [ACCOUNTS.outside, ACCOUNTS.platformFees, ACCOUNTS.platformSlashed];

const BALANCES = `
  select name as account, (select coalesce(sum(amount), 0) from ledger_transfer where credit = name)
    - (select coalesce(sum(amount), 0) from ledger_transfer where debit = name) as balance
  from unnest('{${SUMMED.join(',')}}'::text[]) as name
  ${Object.values(BALANCE_COLUMNS)
    .map((column) => `union all select 'lp:*:${column}', coalesce(sum(${column}), 0) from lp_collateral`)
    .join('\n  ')}`;

/** The balances of all accounts, which add up to zero. */
export const accountBalances = (db: Database): Promise<AccountBalance[]> =>
  db.query<AccountBalance & Record<string, unknown>>('account-balances', BALANCES, []);
