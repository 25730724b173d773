import { Command, CommanderError } from 'commander';
import { StartupError } from '../process/startup-error.ts';
import { ADMIN_COMMANDS } from './admins.ts';
import { APPROVAL_COMMANDS } from './approvals.ts';
import { AUDIT_COMMANDS } from './audit.ts';
import { BULK_COMMANDS } from './bulk.ts';
import { createCli } from './cli.ts';
import type { Declared } from './command.ts';
import { CliError, Proposed } from './connection.ts';
import { EXPORT_COMMANDS } from './export.ts';
import { FIND_COMMANDS } from './find.ts';
import { INCIDENT_COMMANDS } from './incidents.ts';
import { KEY_COMMANDS } from './keys.ts';
import { LEDGER_COMMANDS } from './ledger.ts';
import { LP_COMMANDS } from './lps.ts';
import { ORDER_COMMANDS } from './orders.ts';
import { OVERVIEW_COMMANDS } from './overview.ts';
import { PAUSE_COMMANDS } from './pauses.ts';
import { POSTING_COMMANDS } from './postings.ts';
import { RECONCILE_COMMANDS } from './reconcile.ts';
import type { Terminal } from './terminal.ts';
import { USER_COMMANDS } from './users.ts';
import { VIEW_COMMANDS } from './views.ts';
import { WEBHOOK_COMMANDS } from './webhooks.ts';
import { WHY_COMMANDS } from './why.ts';
import { WITHDRAWAL_COMMANDS } from './withdrawals.ts';

const EXAMPLES = `
Examples:
  npm run admin -- keys create --name shop --integrator "Shop Ltd"
  npm run admin -- keys set 3 --max-exposure-usd 5000
  npm run admin -- admins add --name "Night shift" --role support
  npm run admin -- audit list --object lp:7
  npm run admin -- lps list --status pending
  npm run admin -- withdrawals list --status requested
  npm run admin -- webhooks list --state exhausted
  npm run admin -- find pay_3f…
  npm run admin -- export ledger --from 2026-11-01 --to 2026-12-01 --out ledger.csv
  npm run admin -- overview
  npm run admin -- ledger check
  npm run admin -- bulk cancel --where "status=matched currency=KES" --reason "M-Pesa is down" --dry-run
  npm run admin -- why 42
  npm run admin -- views --lp 7
  npm run --silent admin -- orders list --status disputed --json
`;

/** The exit code of a command that was only proposed, for scripts that would take 0 for done and 1 for refused. */
const NOT_CARRIED_OUT = 3;

/** In the order of the help. */
const COMMANDS: Declared[] = [
  ...ADMIN_COMMANDS,
  ...AUDIT_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...KEY_COMMANDS,
  ...USER_COMMANDS,
  ...LP_COMMANDS,
  ...ORDER_COMMANDS,
  ...BULK_COMMANDS,
  ...WITHDRAWAL_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...FIND_COMMANDS,
  ...EXPORT_COMMANDS,
  ...OVERVIEW_COMMANDS,
  ...PAUSE_COMMANDS,
  ...INCIDENT_COMMANDS,
  ...LEDGER_COMMANDS,
  ...POSTING_COMMANDS,
  ...RECONCILE_COMMANDS,
  ...WHY_COMMANDS,
  ...VIEW_COMMANDS,
];

/**
 * The admin CLI, in this process. `argv`: the words after the program's name. Resolves to the exit code. Commands that must
 * work without the API query the database and Temporal directly; see `own-servers.ts`.
 */
export async function runAdmin(argv: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const program = createProgram(terminal);
  const cli = createCli(program, env, terminal);
  for (const add of COMMANDS) add(program, cli);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof Proposed) {
      const { answer, message } = error;
      cli.show(answer, () => message);
      return NOT_CARRIED_OUT;
    }
    const expected = error instanceof CliError || error instanceof StartupError;
    terminal.err.write(`corridor: ${expected ? error.message : (error as Error).stack}\n`);
    return 1;
  }
}

/** The program with its global options. Its commands take over where it writes, and that it throws instead of exiting. */
const createProgram = ({ out, err }: Terminal): Command =>
  new Command('npm run admin --')
    .description(
      'Administers a running Corridor: agent keys, users, liquidity providers, orders, withdrawals, webhooks.',
    )
    .option('--url <address>', 'address of its API (default: PUBLIC_URL, or HOST and PORT)')
    .option('--key <key>', 'the admin key (default: ADMIN_API_KEY, or the key that npm start generated)')
    .option('--json', 'print JSON, for scripts')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) })
    .addHelpText('after', EXAMPLES)
    .exitOverride();
