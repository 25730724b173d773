import type { Command } from 'commander';
import type { z } from 'zod';
import type { auditPage, ListedAuditEvent } from '../api/resources/audit/schemas.ts';
import type { ChainHead, ChainReport } from '../db/audit/verify-chain.ts';
import { type Cli, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { CliError } from './connection.ts';
import { table } from './output.ts';
import { withOwnDatabase } from './own-database.ts';
import { configuredDatabase } from './own-servers.ts';

const PATH = '/api/admin/audit';

interface Filters {
  actor?: string;
  action?: string;
  object?: string;
  since?: string;
  until?: string;
}
type AuditPage = z.output<typeof auditPage>;

const withFilters = (command: Command): Command =>
  command
    .option('--actor <actor>', 'such as admin:3, admin:root or lp:7; "find" finds the id of a name')
    .option('--action <action>', 'such as "POST /api/admin/lps/:id/approve"')
    .option('--object <object>', 'such as lp:7 or order:42')
    .option('--since <time>', 'from this time on, such as 2026-11-01')
    .option('--until <time>', 'before this time');

/** `audit`: what was changed, by whom, and whether the record of it is whole. `request`: what one request did. */
export function addAuditCommands(program: Command, cli: Cli): void {
  const { call, show, env, terminal } = cli;
  const audit = program.command('audit').description('what was changed, and by whom');

  withFilters(withPages(audit.command('list')))
    .description('events, newest first')
    .action(async ({ limit, cursor, ...filters }: PageOptions & Filters) => {
      const page = await call<AuditPage>('GET', pathWith(PATH, { ...filters, limit, cursor }));
      show(page, ({ events, next_cursor }) => paged(eventTable(events), next_cursor));
    });

  withFilters(audit.command('export'))
    .description('all events that match, oldest last, one JSON object per line')
    .action(async (filters: Filters) => {
      let cursor: string | undefined;
      do {
        const path = pathWith(PATH, { ...filters, limit: '100', cursor });
        const { events, next_cursor } = await call<AuditPage>('GET', path);
        for (const event of events) terminal.out.write(`${JSON.stringify(event)}\n`);
        cursor = next_cursor ?? undefined;
      } while (cursor !== undefined);
    });

  audit
    .command('verify')
    .description('prove that no event was changed, removed or inserted; exit code 1 otherwise')
    .option('--head <id:hash>', 'an earlier head, which must still be there')
    .option(
      '--database-url <url>',
      'the database (default: DATABASE_URL, or that of the Corridor in DATA_DIR)',
    )
    .action(async ({ head, databaseUrl }: { head?: string; databaseUrl?: string }) => {
      const { verifyChain } = await import('../db/audit/verify-chain.ts');
      const noted = head === undefined ? undefined : headOf(head);
      const report = await withOwnDatabase(
        databaseUrl ?? (await configuredDatabase(env)),
        (db) => verifyChain(db, noted),
        0,
      );
      show(report, reportText);
      if (report.broken) cli.exitCode = 1;
    });

  program
    .command('request')
    .description('show what one request changed, or why it was refused')
    .argument('<id>', 'its X-Request-Id')
    .action(async (id: string) => {
      const page = await call<AuditPage>('GET', pathWith(PATH, { request_id: id, limit: '100' }));
      show(page, ({ events, next_cursor }) =>
        events.length > 0
          ? eventTable(events) + (next_cursor === null ? '' : `\n\n${MORE_OF_REQUEST}`)
          : `No change is recorded for the request ${id}. The log has a line for every request, also for reads.`,
      );
    });
}

const MORE_OF_REQUEST = 'These are the newest 100 changes. The console’s audit page lists all.';

function headOf(text: string): ChainHead {
  const [, id, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!id || !hash)
    throw new CliError('--head takes an id and a hash, as "audit verify" prints them: 42:9f86…');
  return { id: Number(id), hash };
}

function reportText({ events, head, broken }: ChainReport): string {
  if (broken) return `Event ${broken.id}: ${broken.problem}. Events before it are whole.`;
  if (!head) return 'There are no events.';
  return `All ${events} events are whole.\nHead: ${head.id}:${head.hash}\nNote the head elsewhere: "audit verify --head" proves later that nothing was cut off.`;
}

const eventTable = (events: ListedAuditEvent[]): string =>
  table(events, {
    id: (event) => event.id,
    'at (UTC)': ({ at }) => at.replace('T', ' ').replace('Z', ''),
    actor: (event) => event.actor,
    name: (event) => event.actor_name,
    action: (event) => event.action,
    object: (event) => event.object || null,
    result: (event) => event.result,
    before: (event) => changes(event.before),
    after: (event) => changes(event.after),
    reason: (event) => event.reason,
  });

const SHOWN = 80;

function changes(fields: Record<string, unknown> | null): string | null {
  if (!fields) return null;
  const text = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
