import type { ListedWithdrawal } from '../api/resources/withdrawals/schemas.ts';
import { PAGES, page } from './cli.ts';
import { command } from './command.ts';
import { tableOf } from './output.ts';

const PATH = '/api/admin/withdrawals';

const withdrawalTable = tableOf<ListedWithdrawal>({
  ...{ id: 'id', LP: 'lp_id', status: 'status', USD: 'amount', asset: 'asset', chain: 'chain' },
  ...{ 'to address': 'address', 'requested (UTC)': 'created_at', 'decided (UTC)': 'decided_at' },
  'transaction, or reason': (row) => row.tx_hash ?? row.reason,
});
const withdrawalRow = (row: ListedWithdrawal): string => withdrawalTable([row]);

/** `withdrawals`: collateral that LPs withdraw. */
export const WITHDRAWAL_COMMANDS = [
  command('withdrawals list', 'withdrawals, newest first', {
    call: `GET ${PATH}`,
    options: { ...PAGES, '--status <status>': 'requested, paid or rejected' },
    print: page('withdrawals', withdrawalTable),
  }),
  command('withdrawals paid <id>', 'record for good that a withdrawal has been paid out', {
    call: `POST ${PATH}/:id/paid`,
    options: { '--tx-hash <hash>': 'the transaction that paid it' },
    print: withdrawalRow,
  }),
  command('withdrawals reject <id>', 'reject a withdrawal for good; its collateral becomes available again', {
    call: `POST ${PATH}/:id/reject`,
    options: { '--reason <text>!': 'why, for the LP to read' },
    print: withdrawalRow,
  }),
];
