import { createHash } from 'node:crypto';
import type { AccountList, PostingView } from '../api/resources/ledger-postings/schemas.ts';
import { type Cli, PAGES, page } from './cli.ts';
import { command, fieldsOf } from './command.ts';
import { table, tableOf } from './output.ts';

const PATH = '/api/admin/ledger';
type Made = PostingView & { idempotent_replay?: true };

/** The options of every posting. */
const NOTE = {
  '--reason <text>!': 'the reason, which stays in the books',
  '--tx-hash <hash>': 'the transaction that moved the money outside',
  '--chain <chain>': 'the chain of that transaction',
  '--reference <text>': 'another reference to the movement, such as a bank’s',
  '--idempotency-key <key>': 'posts once for each key (default: made from the terms)',
};

const postingTable = tableOf<PostingView>({
  ...{ id: 'id', kind: 'kind', USD: 'amount', from: 'debit', to: 'credit', order: 'order_id' },
  ...{ by: 'recorded_by', 'recorded (UTC)': 'created_at', reason: 'reason' },
  'transaction, or reference': (row) => row.tx_hash ?? row.reference,
});

const REPLAYED =
  'This was posted before, and nothing more was posted. To post the same again, give another --idempotency-key.';

const postedText = (made: Made): string =>
  `${postingTable([made])}${made.idempotent_replay ? `\n\n${REPLAYED}` : ''}`;

/** `ledger payout`, `compensate`, `adjust`, `postings` and `accounts`: postings by admins, and balances. */
export const POSTING_COMMANDS = [
  command('ledger payout <usd>', 'record that the platform has taken out fees', {
    call: (cli, input) => post(cli, 'payouts', {}, input),
    options: NOTE,
    print: postedText,
  }),
  command(
    'ledger compensate <usd>',
    'compensate an LP with slashed money; without --lp, record that you have paid the payer',
    {
      call: (cli, { order, lp, ...note }) => post(cli, 'compensations', { order_id: order, lp_id: lp }, note),
      options: {
        ...NOTE,
        '--order <id>!': 'the order in which somebody was harmed',
        '--lp <id>': 'the LP whose collateral gets the money',
      },
      print: postedText,
    },
  ),
  command('ledger adjust <usd>', 'correct the books by a transfer between two accounts', {
    call: (cli, { from, to, order, ...note }) =>
      post(cli, 'adjustments', { debit: from, credit: to, order_id: order }, note),
    options: {
      ...NOTE,
      '--from <account>!': 'the account that the money leaves, such as lp:7:available',
      '--to <account>!': 'the account that the money reaches, such as platform:fees',
      '--order <id>': 'the order that it is about',
    },
    print: postedText,
  }),
  command('ledger postings', 'what admins have posted, newest first', {
    call: `GET ${PATH}/postings`,
    options: { ...PAGES, '--kind <kind>': 'payout, compensation or adjustment' },
    print: page('postings', postingTable),
  }),
  command('ledger accounts', 'the balances of the accounts, which add up to zero', {
    call: `GET ${PATH}/accounts`,
    print: ({ accounts }: AccountList) => table(accounts, { account: 'account', USD: 'balance' }),
  }),
];

/** Posts once for each key. The order of the fields is part of a key that is made from them. */
function post(
  { call }: Cli,
  path: string,
  terms: object,
  { usd, idempotencyKey, reason, chain, txHash, reference }: Record<string, unknown>,
): Promise<Made> {
  const body = { amount: usd, ...terms, ...fieldsOf({ reason, chain, txHash, reference }) };
  const key = String(idempotencyKey ?? keyOf(path, body));
  return call<Made>('POST', `${PATH}/${path}`, body, { 'idempotency-key': key });
}

/** The same command makes the same key, so an admin can repeat a command whose answer was lost. */
const keyOf = (path: string, body: object): string =>
  `cli-${createHash('sha256')
    .update(JSON.stringify([path, body]))
    .digest('hex')
    .slice(0, 32)}`;
