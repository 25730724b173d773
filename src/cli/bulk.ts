import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { BulkPage, BulkRunDetail, BulkRunView } from '../api/resources/bulk-runs/schemas.ts';
import type { BulkAction } from '../domain/bulk.ts';
import { bulkReportText, bulkTable, dryRunText } from './bulk-text.ts';
import { type Cli, idArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { CliError } from './connection.ts';
import { createProgressBar } from './progress-bar.ts';
import { confirmed } from './terminal.ts';

const PATH = '/api/admin/bulk-runs';
const POLL_MS = 500;

const DESCRIPTIONS: Record<BulkAction, string> = {
  extend: 'move the deadlines of many orders to a later time',
  freeze: 'stop many orders and their clocks',
  unfreeze: 'continue many orders that admins have frozen',
  redeliver: 'send the exhausted webhooks of many orders again',
  cancel: 'cancel many orders that no LP has claimed',
  'retry-verification': 'verify the transactions of many orders again',
};

interface Requested {
  where: string;
  reason: string;
  by?: string;
  until?: string;
  dryRun?: boolean;
}

/** `bulk …`: one command on many orders. */
export function addBulkCommands(program: Command, cli: Cli): void {
  const { call, show, terminal } = cli;
  const bulk = program.command('bulk').description('one command on many orders: a dry run, then its start');
  const read = (id: number) => call<BulkRunDetail>('GET', `${PATH}/${id}`);

  for (const [action, description] of Object.entries(DESCRIPTIONS)) {
    const command = bulk
      .command(action)
      .description(description)
      .requiredOption('--where <filter>', 'the orders, such as "status=matched currency=KES due<30m"')
      .requiredOption('--reason <text>', 'why, for the timelines of the orders')
      .option(
        '--dry-run',
        'select the orders, and change nothing; required, because "bulk start" needs its id',
      );
    if (action === 'extend')
      command
        .option('--by <duration>', 'how much later each deadline becomes, such as 2h')
        .option('--until <time>', 'or the new deadline of all orders (ISO 8601)');
    command.action(async ({ where, reason, by, until, dryRun }: Requested) => {
      if (!dryRun)
        throw new CliError(
          `Add --dry-run: it shows the orders and changes nothing. Then "bulk start" carries out exactly what it showed.`,
        );
      const body = { action, where, reason, by, until };
      show(await call<BulkRunDetail>('POST', PATH, body), dryRunText);
    });
  }

  bulk
    .command('start')
    .description('carry out a dry run, and show its progress until it ends')
    .argument('<id>', 'the dry run', idArgument)
    .option('--yes', 'do not ask')
    .action(async (id: number, { yes }: { yes?: boolean }) => {
      const prepared = await read(id);
      const question = `${prepared.action}: ${prepared.orders} orders. Continue?`;
      if (prepared.state === 'prepared' && !yes && !(await confirmed(terminal, question)))
        throw new CliError(`Nothing was changed. The dry run ${id} is still there.`);
      await call('POST', `${PATH}/${id}/start`);
      const run = await follow(id);
      show(run, bulkReportText);
      const failed = run.outcomes.some(({ outcome }) => outcome === 'refused' || outcome === 'unanswered');
      // Scripts must notice that the run was stopped, or that orders are as they were.
      if (run.state !== 'finished' || failed) cli.exitCode = 1;
    });

  bulk
    .command('stop')
    .description('treat no further order of a run')
    .argument('<id>', 'the run', idArgument)
    .action(async (id: number) =>
      show(await call<BulkRunDetail>('POST', `${PATH}/${id}/stop`), bulkReportText),
    );

  bulk
    .command('show')
    .description('how far a run is, and what became of its orders')
    .argument('<id>', 'the run', idArgument)
    .action(async (id: number) => show(await read(id), bulkReportText));

  withPages(bulk.command('list'))
    .description('runs, newest first')
    .action(async ({ limit, cursor }: PageOptions) => {
      const page = await call<BulkPage>('GET', pathWith(PATH, { limit, cursor }));
      show(page, (found) => paged(bulkTable(found.bulk_runs), found.next_cursor));
    });

  /** Shows the progress on stderr, so that stdout has the report alone. */
  async function follow(id: number): Promise<BulkRunDetail> {
    const bar = createProgressBar(terminal.err);
    for (;;) {
      const run = await read(id);
      bar.show(run.treated, run.orders);
      if (hasEnded(run)) {
        bar.end();
        return run;
      }
      await delay(POLL_MS);
    }
  }
}

const hasEnded = ({ state }: BulkRunView): boolean => state !== 'running' && state !== 'stopping';
