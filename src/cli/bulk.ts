import { setTimeout as delay } from 'node:timers/promises';
import type { BulkRunDetail, BulkRunView } from '../api/resources/bulk-runs/schemas.ts';
import type { BulkAction } from '../domain/bulk.ts';
import { bulkReportText, bulkTable, dryRunText } from './bulk-text.ts';
import { type Cli, PAGES, page } from './cli.ts';
import { command } from './command.ts';
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

const SELECTION = {
  '--where <filter>!': 'the orders, such as "status=matched currency=KES due<30m"',
  '--reason <text>!': 'why, for the timelines of the orders',
  '--dry-run': 'select the orders, and change nothing; required, because "bulk start" needs its id',
};
const NEW_DEADLINES = {
  '--by <duration>': 'how much later each deadline becomes, such as 2h',
  '--until <time>': 'or the new deadline of all orders (ISO 8601)',
};

/** `bulk …`: one command on many orders. */
export const BULK_COMMANDS = [
  ...Object.entries(DESCRIPTIONS).map(([action, description]) =>
    command(`bulk ${action}`, description, {
      call: `POST ${PATH}`,
      options: { ...SELECTION, ...(action === 'extend' && NEW_DEADLINES) },
      fields: ({ dryRun, ...selection }) => {
        if (dryRun) return { action, ...selection };
        throw new CliError(
          `Add --dry-run: it shows the orders and changes nothing. Then "bulk start" carries out exactly what it showed.`,
        );
      },
      print: dryRunText,
    }),
  ),
  command('bulk start <id>', 'carry out a dry run, and show its progress until it ends', {
    call: start,
    args: { '<id>': 'the dry run' },
    options: { '--yes': 'do not ask' },
    print: bulkReportText,
    // Scripts must notice that the run was stopped, or that orders are as they were.
    fails: ({ state, outcomes }) =>
      state !== 'finished' ||
      outcomes.some(({ outcome }) => outcome === 'refused' || outcome === 'unanswered'),
  }),
  command('bulk stop <id>', 'treat no further order of a run', {
    call: `POST ${PATH}/:id/stop`,
    print: bulkReportText,
  }),
  command('bulk show <id>', 'how far a run is, and what became of its orders', {
    call: `GET ${PATH}/:id`,
    print: bulkReportText,
  }),
  command('bulk list', 'runs, newest first', {
    call: `GET ${PATH}`,
    options: PAGES,
    print: page('bulk_runs', bulkTable),
  }),
];

/** Shows the progress on stderr, so that stdout has the report alone. */
async function start(
  { call, terminal }: Cli,
  { id, yes }: { id: number; yes?: boolean },
): Promise<BulkRunDetail> {
  const read = () => call<BulkRunDetail>('GET', `${PATH}/${id}`);
  const prepared = await read();
  const question = `${prepared.action}: ${prepared.orders} orders. Continue?`;
  if (prepared.state === 'prepared' && !yes && !(await confirmed(terminal, question)))
    throw new CliError(`Nothing was changed. The dry run ${id} is still there.`);
  await call('POST', `${PATH}/${id}/start`);
  const bar = createProgressBar(terminal.err);
  for (;;) {
    const run = await read();
    bar.show(run.treated, run.orders);
    if (hasEnded(run)) {
      bar.end();
      return run;
    }
    await delay(POLL_MS);
  }
}

const hasEnded = ({ state }: BulkRunView): boolean => state !== 'running' && state !== 'stopping';
