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

const options = readArguments();
if (options?.help) process.stdout.write(`${USAGE}\n`);
else if (!options) unknown(USAGE);
else {
  const target = await targetOf(options['database-url'], options['temporal-address']);
  if (target) await check(target, options.namespace);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        'database-url': { type: 'string' },
        'temporal-address': { type: 'string' },
        namespace: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

function unknown(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exitCode = 2;
}

/** Undefined: there is no database to check, and the reason was printed. */
async function targetOf(
  given: string | undefined,
  temporalAddress: string | undefined,
): Promise<Target | undefined> {
  try {
    if (given !== undefined) {
      if (!URL.canParse(given)) return void unknown(NO_DATABASE_URL);
      // The orders of another database than the settings' have their workflows elsewhere.
      return { url: given, address: temporalAddress, config: loadCommandConfig(process.env) };
    }
    const { config, databaseUrl: url, databaseSetting: setting, ...own } = await ownServers(process.env);
    if (url) return { url, setting, config, address: temporalAddress ?? own.temporalAddress };
    return void unknown(noDatabase(config));
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return void unknown(error.message);
  }
}

async function check({ url, setting, address, config }: Target, namespace?: string): Promise<void> {
  const log = createLogger('warn', process.stderr);
  const opening = openDatabase({ url, poolSize: 2, debug: (message) => log.debug(message) });
  const db = await opening.catch((error) => unknown(error.message));
  if (!db) return;
  const { temporalAccess, temporalNamespace } = config;
  const gateway = address
    ? createOrderGateway({ address, ...temporalAccess, namespace: namespace ?? temporalNamespace, log })
    : undefined;
  try {
    const findings = await checkInvariants({ db, gateway, log });
    const sound = gateway
      ? 'Everything holds.'
      : 'Everything holds; the workflows were not checked: name a Temporal by --temporal-address.';
    process.stdout.write(`${findings.map(findingText).join('\n') || sound}\n`);
    if (findings.length > 0) process.exitCode = 1;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    unknown(typeof code === 'string' ? whyUnusable({ code, message }, url, setting) : message);
  } finally {
    await gateway?.close();
    await db.close();
  }
}
