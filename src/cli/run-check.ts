import { parseArgs } from 'node:util';
import { openDatabase } from '../db/orm.ts';
import { NO_DATABASE_URL, whyUnusable } from '../db/why-unusable.ts';
import { checkInvariants } from '../operations/diagnosis/check-invariants.ts';
import { findingText } from '../operations/diagnosis/finding.ts';
import { createLogger } from '../process/log.ts';
import { StartupError } from '../process/startup-error.ts';
import { type Config, loadCommandConfig } from '../settings/config.ts';
import { createOrderGateway } from '../temporal/gateway.ts';
import { noDatabase, ownServers } from './own-servers.ts';
import type { Terminal } from './terminal.ts';

const USAGE = `usage: npm run check:invariants -- [--database-url URL] [--temporal-address HOST:PORT] [--namespace NAME]

Checks on a database, and on the workflows in a Temporal, everything that Corridor promises. Changes nothing.
Prints one line for each finding: what must hold, where it does not, what is expected, what was found.
Without --database-url: those of DATABASE_READER_URL or DATABASE_URL and of TEMPORAL_ADDRESS, else of the Corridor that
runs in DATA_DIR. With --database-url, the workflows are checked only if --temporal-address names their Temporal.
Namespace, certificates and keys for Temporal come from the same variables as Corridor's: TEMPORAL_NAMESPACE,
TEMPORAL_API_KEY, TEMPORAL_TLS_…, TEMPORAL_PROFILE.
Exit code 1: there are findings. Exit code 2: the database or Temporal cannot be used, so nothing is known.`;

/** What to check. Without an address of a Temporal, the workflows are not checked. */
interface Target {
  config: Config;
  url: string;
  /** The setting that names it; undefined: an option does, or none. */
  setting?: string | undefined;
  address: string | undefined;
}

type Options = ReturnType<typeof readArguments>;

/** Nothing can be said about the installation, and why. */
class NothingKnown extends Error {}

/** The check, in this process. `argv`: the words after the program's name. Resolves to the exit code. */
export async function runCheck(argv: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  try {
    const options = readArguments(argv);
    if (!options.help) return await check(await targetOf(options, env), options.namespace, terminal);
    terminal.out.write(`${USAGE}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof NothingKnown || error instanceof StartupError)) throw error;
    terminal.err.write(`${error.message}\n`);
    return 2;
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        'database-url': { type: 'string' },
        'temporal-address': { type: 'string' },
        namespace: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new NothingKnown(`${(error as Error).message}\n${USAGE}`);
  }
}

async function targetOf(options: Options, env: NodeJS.ProcessEnv): Promise<Target> {
  const { 'database-url': given, 'temporal-address': temporalAddress } = options;
  if (given !== undefined) {
    if (!URL.canParse(given)) throw new NothingKnown(NO_DATABASE_URL);
    // The orders of another database than the settings' have their workflows elsewhere.
    return { url: given, address: temporalAddress, config: loadCommandConfig(env) };
  }
  const { config, databaseUrl: url, databaseSetting: setting, ...own } = await ownServers(env);
  if (!url) throw new NothingKnown(noDatabase(config));
  return { url, setting, config, address: temporalAddress ?? own.temporalAddress };
}

async function check(
  { url, setting, address, config }: Target,
  namespace: string | undefined,
  { out, err }: Terminal,
): Promise<number> {
  const log = createLogger('warn', err);
  const opening = openDatabase({ url, poolSize: 2, debug: (message) => log.debug(message) });
  const db = await opening.catch((error) => {
    throw new NothingKnown(error.message);
  });
  const { temporalAccess, temporalNamespace } = config;
  const gateway = address
    ? createOrderGateway({ address, ...temporalAccess, namespace: namespace ?? temporalNamespace, log })
    : undefined;
  try {
    const findings = await checkInvariants({ db, gateway, log });
    const sound = gateway
      ? 'Everything holds.'
      : 'Everything holds; the workflows were not checked: name a Temporal by --temporal-address.';
    out.write(`${findings.map(findingText).join('\n') || sound}\n`);
    return findings.length > 0 ? 1 : 0;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new NothingKnown(typeof code === 'string' ? whyUnusable({ code, message }, url, setting) : message);
  } finally {
    await gateway?.close();
    await db.close();
  }
}
