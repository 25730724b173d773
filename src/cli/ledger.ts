import type { Command } from 'commander';
import { type CheckResult, findingsOf, findingText } from '../operations/diagnosis/finding.ts';
import type { Cli } from './cli.ts';
import { table } from './output.ts';
import { withOwnDatabase } from './own-database.ts';
import { configuredDatabase } from './own-servers.ts';
import { addPostingCommands } from './postings.ts';

/** `ledger`: the books. */
export function addLedgerCommands(program: Command, cli: Cli): void {
  const ledger = program.command('ledger').description('the books');
  addCheckCommand(ledger, cli);
  addPostingCommands(ledger, cli);
}

/** Reads the database directly, so that the proof does not depend on parts that may be faulty. */
function addCheckCommand(ledger: Command, cli: Cli): void {
  ledger
    .command('check')
    .description(
      'prove that balances, transfers, orders, deposits, withdrawals and postings agree; exit code 1 if not',
    )
    .option(
      '--database-url <url>',
      'the database (default: DATABASE_URL, or that of the Corridor in DATA_DIR)',
    )
    .action(async ({ databaseUrl }: { databaseUrl?: string }) => {
      const { checkLedger } = await import('../operations/diagnosis/checks/ledger.ts');
      const results = await withOwnDatabase(
        databaseUrl ?? (await configuredDatabase(cli.env)),
        checkLedger,
        0,
      );
      const ok = findingsOf(results).length === 0;
      const checks = results.map(({ what, checked, findings }) => ({ what, checked, drift: findings }));
      cli.show({ ok, checks }, () => report(results));
      if (!ok) cli.exitCode = 1;
    });
}

function report(results: CheckResult[]): string {
  const shown = table(results, {
    check: ({ what }) => what,
    checked: ({ checked }) => checked,
    drifts: ({ findings }) => findings.length,
  });
  return `${shown}\n\n${findingsOf(results).map(findingText).join('\n') || 'The ledger is sound.'}`;
}
