import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { AccountList, PostingPage, PostingView } from '../api/resources/ledger-postings/schemas.ts';
import { type Cli, idArgument, numberArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { minute, table } from './output.ts';

const PATH = '/api/admin/ledger';

/** The options of every posting, as the API names them. */
interface NoteOptions {
  reason: string;
  chain?: string;
  txHash?: string;
  reference?: string;
  idempotencyKey?: string;
}

const withNote = (command: Command): Command =>
  command
    .argument('<usd>', 'the amount in USD', numberArgument)
    .requiredOption('--reason <text>', 'the reason, which stays in the books')
    .option('--tx-hash <hash>', 'the transaction that moved the money outside')
    .option('--chain <chain>', 'the chain of that transaction')
    .option('--reference <text>', 'another reference to the movement, such as a bank’s')
    .option('--idempotency-key <key>', 'posts once for each key (default: made from the terms)');

/** `ledger payout`, `compensate`, `adjust`, `postings` and `accounts`: postings by admins, and balances. */
export function addPostingCommands(ledger: Command, { call, show }: Cli): void {
  const post = async (path: string, amount: number, terms: object, note: NoteOptions): Promise<void> => {
    const { reason, chain, txHash, reference } = note;
    const body = { amount, ...terms, reason, chain, tx_hash: txHash, reference };
    const key = note.idempotencyKey ?? keyOf(path, body);
    const made = await call<PostingView & { idempotent_replay?: true }>('POST', `${PATH}/${path}`, body, {
      'idempotency-key': key,
    });
    show(made, (posting) => `${postingTable([posting])}${made.idempotent_replay ? `\n\n${REPLAYED}` : ''}`);
  };

  withNote(ledger.command('payout'))
    .description('record that the platform has taken out fees')
    .action((usd: number, note: NoteOptions) => post('payouts', usd, {}, note));

  withNote(ledger.command('compensate'))
    .description('compensate an LP with slashed money; without --lp, record that you have paid the payer')
    .requiredOption('--order <id>', 'the order in which somebody was harmed', idArgument)
    .option('--lp <id>', 'the LP whose collateral gets the money', idArgument)
    .action((usd: number, { order, lp, ...note }: NoteOptions & { order: number; lp?: number }) =>
      post('compensations', usd, { order_id: order, lp_id: lp }, note),
    );

  withNote(ledger.command('adjust'))
    .description('correct the books by a transfer between two accounts')
    .requiredOption('--from <account>', 'the account that the money leaves, such as lp:7:available')
    .requiredOption('--to <account>', 'the account that the money reaches, such as platform:fees')
    .option('--order <id>', 'the order that it is about', idArgument)
    .action(
      (
        usd: number,
        { from, to, order, ...note }: NoteOptions & { from: string; to: string; order?: number },
      ) => post('adjustments', usd, { debit: from, credit: to, order_id: order }, note),
    );

  withPages(ledger.command('postings'))
    .description('what admins have posted, newest first')
    .option('--kind <kind>', 'payout, compensation or adjustment')
    .action(async ({ limit, cursor, kind }: PageOptions & { kind?: string }) => {
      const page = await call<PostingPage>('GET', pathWith(`${PATH}/postings`, { limit, cursor, kind }));
      show(page, ({ postings, next_cursor }) => paged(postingTable(postings), next_cursor));
    });

  ledger
    .command('accounts')
    .description('the balances of the accounts, which add up to zero')
    .action(async () =>
      show(await call<AccountList>('GET', `${PATH}/accounts`), ({ accounts }) =>
        table(accounts, { account: (row) => row.account, USD: (row) => row.balance }),
      ),
    );
}

const REPLAYED =
  'This was posted before, and nothing more was posted. To post the same again, give another --idempotency-key.';

/** The same command makes the same key, so an admin can repeat a command whose answer was lost. */
const keyOf = (path: string, body: object): string =>
  `cli-${createHash('sha256')
    .update(JSON.stringify([path, body]))
    .digest('hex')
    .slice(0, 32)}`;

const postingTable = (postings: PostingView[]): string =>
  table(postings, {
    id: (row) => row.id,
    kind: (row) => row.kind,
    USD: (row) => row.amount,
    from: (row) => row.debit,
    to: (row) => row.credit,
    order: (row) => row.order_id,
    by: (row) => row.recorded_by,
    'recorded (UTC)': (row) => minute(row.created_at),
    reason: (row) => row.reason,
    'transaction, or reference': (row) => row.tx_hash ?? row.reference,
  });
