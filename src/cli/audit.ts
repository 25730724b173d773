import type { z } from 'zod';
import type { auditPage, ListedAuditEvent } from '../api/resources/audit/schemas.ts';
import type { ChainHead, ChainReport } from '../db/audit/verify-chain.ts';
import { type Cli, DATABASE, PAGES, page, pathWith } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';
import { tableOf } from './output.ts';
import { withOwnDatabase } from './own-database.ts';
import { configuredDatabase } from './own-servers.ts';

const PATH = '/api/admin/audit';
type AuditPage = z.output<typeof auditPage>;

const FILTERS = {
  '--actor <actor>': 'such as admin:3, admin:root or lp:7; "find" finds the id of a name',
  '--action <action>': 'such as "POST /api/admin/lps/:id/approve"',
  '--object <object>': 'such as lp:7 or order:42',
  '--since <time>': 'from this time on, such as 2026-11-01',
  '--until <time>': 'before this time',
};

const eventTable = tableOf<ListedAuditEvent>({
  id: 'id',
  'at (UTC)': ({ at }) => at.replace('T', ' ').replace('Z', ''),
  ...{ actor: 'actor', name: 'actor_name', action: 'action' },
  object: (event) => event.object || null,
  result: 'result',
  before: (event) => changes(event.before),
  after: (event) => changes(event.after),
  reason: 'reason',
});

/** `audit`: what was changed, by whom, and whether the record of it is whole. `request`: what one request did. */
export const AUDIT_COMMANDS = [
  command('audit list', 'events, newest first', {
    call: `GET ${PATH}`,
    options: { ...PAGES, ...FILTERS },
    print: page('events', eventTable),
  }),
  command('audit export', 'all events that match, oldest last, one JSON object per line', {
    call: exportEvents,
    options: FILTERS,
  }),
  command('audit verify', 'prove that no event was changed, removed or inserted; exit code 1 otherwise', {
    call: verify,
    options: { '--head <id:hash>': 'an earlier head, which must still be there', ...DATABASE },
    print: reportText,
    fails: ({ broken }) => Boolean(broken),
  }),
  command('request <id>', 'show what one request changed, or why it was refused', {
    call: `GET ${PATH}`,
    args: { '<id>': { does: 'its X-Request-Id', parse: String } },
    fields: ({ id }) => ({ request_id: id, limit: 100 }),
    print: ({ events, next_cursor }: AuditPage, { id }) =>
      events.length > 0
        ? eventTable(events) + (next_cursor === null ? '' : `\n\n${MORE_OF_REQUEST}`)
        : `No change is recorded for the request ${id}. The log has a line for every request, also for reads.`,
  }),
];

async function exportEvents({ call, terminal }: Cli, filters: object): Promise<void> {
  let cursor: string | null | undefined;
  do {
    const path = pathWith(PATH, { ...filters, limit: 100, cursor });
    const { events, next_cursor } = await call<AuditPage>('GET', path);
    for (const event of events) terminal.out.write(`${JSON.stringify(event)}\n`);
    cursor = next_cursor;
  } while (cursor !== null);
}

async function verify(
  { env }: Cli,
  { head, databaseUrl }: { head?: string; databaseUrl?: string },
): Promise<ChainReport> {
  const { verifyChain } = await import('../db/audit/verify-chain.ts');
  const noted = head === undefined ? undefined : headOf(head);
  const url = databaseUrl ?? (await configuredDatabase(env));
  return withOwnDatabase(url, (db) => verifyChain(db, noted), 0);
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

const SHOWN = 80;

function changes(fields: Record<string, unknown> | null): string | null {
  if (!fields) return null;
  const text = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
