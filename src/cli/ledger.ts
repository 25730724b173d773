import { type CheckResult, findingsOf, findingText } from '../operations/diagnosis/finding.ts';
import { type Cli, DATABASE } from './cli.ts';
import { command } from './command.ts';
import { table } from './output.ts';
import { withOwnDatabase } from './own-database.ts';
import { configuredDatabase } from './own-servers.ts';

/** `ledger check` reads the database directly, so that the proof does not depend on parts that may be faulty. */
export const LEDGER_COMMANDS = [
  command(
    'ledger check',
    'prove that balances, transfers, orders, deposits, withdrawals and postings agree; exit code 1 if not',
    {
      call: async ({ env }: Cli, { databaseUrl }: { databaseUrl?: string }) => {
        const { checkLedger } = await import('../operations/diagnosis/checks/ledger.ts');
        const url = databaseUrl ?? (await configuredDatabase(env));
        const checks = (await withOwnDatabase(url, checkLedger, 0)).map(({ what, checked, findings }) => ({
          ...{ what, checked, drift: findings },
        }));
        return { ok: checks.every(({ drift }) => drift.length === 0), checks };
      },
      options: DATABASE,
      print: ({ checks }) => report(checks.map(({ drift, ...check }) => ({ ...check, findings: drift }))),
      fails: ({ ok }) => !ok,
    },
  ),
];

function report(results: CheckResult[]): string {
  const shown = table(results, {
    ...{ check: 'what', checked: 'checked' },
    drifts: ({ findings }) => findings.length,
  });
  return `${shown}\n\n${findingsOf(results).map(findingText).join('\n') || 'The ledger is sound.'}`;
}
