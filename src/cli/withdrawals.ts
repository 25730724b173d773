import type { Command } from 'commander';
import type { ListedWithdrawal, WithdrawalPage } from '../api/resources/withdrawals/schemas.ts';
import { type Cli, idArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { minute, table } from './output.ts';

const PATH = '/api/admin/withdrawals';

/** `withdrawals`: collateral that LPs withdraw. */
export function addWithdrawalCommands(program: Command, { call, show }: Cli): void {
  const withdrawals = program.command('withdrawals').description('collateral that LPs withdraw');
  const decide = async (path: string, body: object) =>
    show(await call<ListedWithdrawal>('POST', `${PATH}/${path}`, body), (row) => withdrawalTable([row]));

  withPages(withdrawals.command('list'))
    .description('withdrawals, newest first')
    .option('--status <status>', 'requested, paid or rejected')
    .action(async ({ limit, cursor, status }: PageOptions & { status?: string }) => {
      const page = await call<WithdrawalPage>('GET', pathWith(PATH, { limit, cursor, status }));
      show(page, ({ withdrawals, next_cursor }) => paged(withdrawalTable(withdrawals), next_cursor));
    });

  withdrawals
    .command('paid')
    .description('record for good that a withdrawal has been paid out')
    .argument('<id>', 'the withdrawal', idArgument)
    .option('--tx-hash <hash>', 'the transaction that paid it')
    .action((id: number, { txHash }: { txHash?: string }) => decide(`${id}/paid`, { tx_hash: txHash }));

  withdrawals
    .command('reject')
    .description('reject a withdrawal for good; its collateral becomes available again')
    .argument('<id>', 'the withdrawal', idArgument)
    .requiredOption('--reason <text>', 'why, for the LP to read')
    .action((id: number, { reason }: { reason: string }) => decide(`${id}/reject`, { reason }));
}

const withdrawalTable = (withdrawals: ListedWithdrawal[]): string =>
  table(withdrawals, {
    id: (row) => row.id,
    LP: (row) => row.lp_id,
    status: (row) => row.status,
    USD: (row) => row.amount,
    asset: (row) => row.asset,
    chain: (row) => row.chain,
    'to address': (row) => row.address,
    'requested (UTC)': (row) => minute(row.created_at),
    'decided (UTC)': (row) => minute(row.decided_at),
    'transaction, or reason': (row) => row.tx_hash ?? row.reason,
  });
