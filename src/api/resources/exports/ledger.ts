import { ACCOUNTS } from '../../../db/ledger/accounts.ts';
import type { Database } from '../../../db/orm.ts';
import { statement } from '../../../db/statement.ts';
import { csvLine, freeText } from '../../../domain/csv.ts';
import { journalEntry } from '../../../domain/journal.ts';
import { decimal } from '../../../domain/money.ts';
import { isoTime, type KeyedRow, pageOfRange, readPages } from './pages.ts';
import type { Range } from './schemas.ts';

const COLUMNS = `t.created_at::text as at, t.id, t.key, t.debit, t.credit, t.amount, t.order_id, t.deposit_id, t.withdrawal_id,
    t.posting_id`;

export const LEDGER = statement(
  'export-ledger',
  `
  select ${COLUMNS}, p.reason, p.recorded_by, p.tx_hash, p.reference
  from ledger_transfer t left join admin_posting p on p.id = t.posting_id
  where ${pageOfRange('t', 'created_at')}`,
);

/** The transfers of one LP's accounts. */
export const STATEMENT = statement(
  'export-statement',
  `
  select ${COLUMNS}
  from ledger_transfer t
  where (t.debit = any ($accounts::varchar[]) or t.credit = any ($accounts::varchar[])) and ${pageOfRange('t', 'created_at')}`,
);

const OPENING = `
  select account, sum(amount)::text as balance
  from (
    select credit as account, amount from ledger_transfer where credit = any ($1::varchar[]) and created_at < $2
    union all select debit, -amount from ledger_transfer where debit = any ($1::varchar[]) and created_at < $2
  ) side
  group by account`;

interface TransferRow extends KeyedRow {
  key: string;
  debit: string;
  credit: string;
  amount: string;
  order_id: number | null;
  deposit_id: number | null;
  withdrawal_id: number | null;
  posting_id: number | null;
}
interface PostedRow extends TransferRow {
  reason: string | null;
  recorded_by: string | null;
  tx_hash: string | null;
  reference: string | null;
}

const SOURCES = ['order_id', 'deposit_id', 'withdrawal_id', 'posting_id'] as const;
const sourcesOf = (row: TransferRow) => SOURCES.map((name) => row[name]);

/** All transfers of the range as CSV. */
export async function* ledgerLines(db: Database, range: Range) {
  const texts = ['reason', 'recorded_by', 'tx_hash', 'reference'] as const;
  yield csvLine(['transfer_id', 'at', 'key', 'debit', 'credit', 'amount_usd', ...SOURCES, ...texts]);
  for await (const rows of readPages<PostedRow>(db, LEDGER, range))
    yield rows
      .map((row) =>
        csvLine([
          ...[row.id, isoTime(row.at), row.key, row.debit, row.credit, row.amount, ...sourcesOf(row)],
          ...texts.map((name) => freeText(row[name])),
        ]),
      )
      .join('');
}

/** All transfers of the range as a journal of plain-text accounting. */
export async function* journalEntries(db: Database, { from, to }: Range) {
  yield `; The ledger of Corridor from ${from.toISOString()} to ${to.toISOString()}, without its end.\n\n`;
  for await (const rows of readPages<PostedRow>(db, LEDGER, { from, to }))
    yield rows.map((row) => journalEntry({ ...row, at: isoTime(row.at) })).join('');
}

/** Each movement of an LP's collateral in the range as CSV, with the balances before, after each, and at the end. */
export async function* statementLines(db: Database, range: Range, lpId: number) {
  const accounts = [ACCOUNTS.lpAvailable(lpId), ACCOUNTS.lpLocked(lpId), ACCOUNTS.lpWithdrawing(lpId)];
  const opening = await db.query<{ account: string; balance: string }>('export-opening', OPENING, [
    accounts,
    range.from,
  ]);
  const balances = new Map(accounts.map((account) => [account, decimal(0)]));
  for (const { account, balance } of opening) balances.set(account, decimal(balance));
  const shown = () => accounts.map((account) => balances.get(account)?.toFixed(6) ?? null);
  const nothing = SOURCES.map(() => null);
  const names = ['available_usd', 'locked_usd', 'withdrawing_usd'];
  yield csvLine(['at', 'entry', 'from', 'to', 'amount_usd', ...SOURCES, ...names]);
  yield csvLine([range.from.toISOString(), 'opening', null, null, null, ...nothing, ...shown()]);
  const move = (account: string, amount: string) => {
    const balance = balances.get(account);
    if (balance) balances.set(account, balance.plus(amount));
  };
  for await (const rows of readPages<TransferRow>(db, STATEMENT, range, { accounts }))
    yield rows
      .map((row) => {
        move(row.debit, `-${row.amount}`);
        move(row.credit, row.amount);
        const entry = [isoTime(row.at), row.key, row.debit, row.credit, row.amount];
        return csvLine([...entry, ...sourcesOf(row), ...shown()]);
      })
      .join('');
  yield csvLine([range.to.toISOString(), 'closing', null, null, null, ...nothing, ...shown()]);
}
