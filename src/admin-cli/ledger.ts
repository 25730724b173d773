import type { Command } from 'commander';
import type { LedgerCheck } from '../db/queries/ledger-drift.ts';
import { NO_DATABASE_URL, whyUnusable } from '../db/why-unusable.ts';
import type { Cli } from './cli.ts';
import { CliError } from './connection.ts';
import { table } from './output.ts';
import { noDatabase, ownServers } from './own-servers.ts';

/** `ledger`: the books. Read from the database itself, so that the proof rests on nothing that might be at fault. */
export function addLedgerCommands(program: Command, { show }: Cli): void {
  const ledger = program.command('ledger').description('the books');

  ledger
    .command('check')
    .description(
      'prove that balances, transfers, orders, deposits and withdrawals agree; exit code 1 where not',
    )
    .option(
      '--database-url <url>',
      'the database (default: DATABASE_URL, or that of the Corridor in DATA_DIR)',
    )
    .action(async ({ databaseUrl }: { databaseUrl?: string }) => {
      const checks = await proof(databaseUrl ?? (await configuredDatabase(process.env)));
      show({ ok: isSound(checks), checks }, () => report(checks));
      if (!isSound(checks)) process.exitCode = 1;
    });
}

const isSound = (checks: LedgerCheck[]): boolean => checks.every(({ drift }) => drift.length === 0);

function report(checks: LedgerCheck[]): string {
  const shown = table(checks, {
    check: ({ what }) => what,
    checked: ({ checked }) => checked,
    drifts: ({ drift }) => drift.length,
  });
  const lines = checks
    .flatMap(({ drift }) => drift)
    .map(({ what, where, expected, found }) => `${what}: ${where}: expected ${expected}, found ${found}`);
  return `${shown}\n\n${lines.join('\n') || 'The ledger is sound.'}`;
}

async function configuredDatabase(env: NodeJS.ProcessEnv): Promise<string> {
  const { databaseUrl, config } = await ownServers(env);
  if (databaseUrl) return databaseUrl;
  throw new CliError(noDatabase(config));
}

async function proof(url: string): Promise<LedgerCheck[]> {
  if (!URL.canParse(url)) throw new CliError(NO_DATABASE_URL);
  // Loaded here, because it takes longer than all that the other commands do.
  const { openDatabase } = await import('../db/orm.ts');
  const { checkLedger } = await import('../db/queries/ledger-drift.ts');
  const db = await openDatabase({ url, poolSize: 1, debug: () => undefined });
  try {
    return await checkLedger(db);
  } catch (error) {
    throw new CliError(whyUnusable(error as { code?: string; message: string }, url), { cause: error });
  } finally {
    await db.close();
  }
}
