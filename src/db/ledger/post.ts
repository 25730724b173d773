import { ACCOUNTS, BALANCE_COLUMNS, type Purpose, TRANSFERS, type TransferSource } from './accounts.ts';

/** Transfers of one LP's money, for the statement that causes them. All values are SQL expressions. */
export interface Posting<Source extends TransferSource> {
  source: Source;
  /** The CTE that has the row which causes the transfers: an order at its new version, a deposit, a withdrawal. */
  row: string;
  /** More CTEs that the expressions read. */
  also?: string;
  /** The LP's id. The LP of `row` if it is not given. */
  lp?: string;
  /** USD by purpose. A transfer of zero is left out. */
  amounts: Partial<Record<Purpose<Source>, string>>;
}

/**
 * CTEs `balance` and `transfer`: they change the LP's balances and record the transfers behind the change.
 *
 * - PostgreSQL applies only one of two updates of a row in one statement. So all transfers become one update, and a
 *   statement can post only once: a second posting would define `balance` again, which PostgreSQL refuses.
 * - A transfer's key is unique, so a statement that runs twice posts once.
 * - The CHECKs of `lp_collateral` keep balances from falling below zero; see `isInsufficientCollateral`. Negative
 *   amounts break the CHECK of `ledger_transfer`. Either way the whole statement changes nothing.
 */
export function post<Source extends TransferSource>(posting: Posting<Source>): string {
  const { source, row, also, lp = `${row}.lp_id` } = posting;
  const from = also ? `${row}, ${also}` : row;
  const transfers = transfersOf(posting);
  const rows = transfers.map(
    ({ key, debit, credit, amount }) => `
  select ${key},
    ${accountName(debit, lp)}, ${accountName(credit, lp)}, ${amount}, ${row}.id
  from ${from} where ${amount} <> 0`,
  );
  return `balance as (
  update lp_collateral set${balanceChanges(transfers)}
  from ${from} where lp_collateral.lp_id = ${lp}
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, ${source}_id)${rows.join('\n  union all')}
)`;
}

/**
 * The same for an admin's posting, whose row names the accounts, possibly of two LPs. `row`: the CTE with that row.
 *
 * - Triggers on `ledger_transfer` keep the platform's accounts from falling below zero. They let a locked or
 *   withdrawing balance move only towards the sum of the LP's orders or withdrawals; see `refused-balance.ts`.
 */
export function postBetween(row: string): string {
  const columns = Object.values(BALANCE_COLUMNS);
  const changes = columns.map((column) => `\n    ${column} = lp_collateral.${column} + change.${column}`);
  const sums = columns.map(
    (column) => `\n      coalesce(sum(amount) filter (where account like 'lp:%:${column}'), 0) as ${column}`,
  );
  return `balance as (
  update lp_collateral set${changes.join(',')}
  from (
    select lp_id,${sums.join(',')}
    from (
      select debit_lp_id as lp_id, debit as account, -amount as amount from ${row}
      union all select credit_lp_id, credit, amount from ${row}
    ) side
    where lp_id is not null group by lp_id
  ) change
  where lp_collateral.lp_id = change.lp_id
),
transfer as (
  insert into ledger_transfer (key, debit, credit, amount, posting_id)
  select 'posting/' || id, debit, credit, amount, id from ${row}
)`;
}

interface Transfer {
  key: string;
  debit: keyof typeof ACCOUNTS;
  credit: keyof typeof ACCOUNTS;
  amount: string;
}

function transfersOf<Source extends TransferSource>({ source, row, amounts }: Posting<Source>): Transfer[] {
  const routes: Record<string, Pick<Transfer, 'debit' | 'credit'>> = TRANSFERS[source];
  return Object.entries<string | undefined>(amounts).map(([purpose, amount]) => {
    const route = routes[purpose];
    if (!route || !amount) throw new Error(`TRANSFERS.${source} has no purpose '${purpose}'`);
    return { key: transferKey(source, row, purpose), ...route, amount: operand(amount) };
  });
}

function transferKey(source: TransferSource, row: string, purpose: string): string {
  switch (source) {
    case 'order':
      return `'order/' || ${row}.id || '/' || ${row}.version || '/${purpose}'`;
    case 'deposit':
      return `'deposit/' || ${row}.id`;
    case 'withdrawal':
      return `'withdrawal/' || ${row}.id || '/${purpose}'`;
  }
}

function accountName(account: Transfer['debit'], lp: string): string {
  const name = ACCOUNTS[account];
  return typeof name === 'string' ? `'${name}'` : `'${name(`' || ${lp} || '`)}'`;
}

/** Returns the SET clause that subtracts each transfer from the debited balance and adds it to the credited one. */
function balanceChanges(transfers: readonly Transfer[]): string {
  const changes = new Map<string, string>();
  const change = (account: Transfer['debit'], signedAmount: string) => {
    const column = BALANCE_COLUMNS[account];
    if (column) changes.set(column, `${changes.get(column) ?? `lp_collateral.${column}`} ${signedAmount}`);
  };
  for (const { debit, credit, amount } of transfers) {
    change(debit, `- ${amount}`);
    change(credit, `+ ${amount}`);
  }
  return [...changes].map(([column, sum]) => `\n    ${column} = ${sum}`).join(',');
}

const operand = (expression: string) => (expression.includes(' ') ? `(${expression})` : expression);
