import { parseArgs } from 'node:util';
import { openDatabase } from '../db/orm.ts';
import { NO_DATABASE_URL, whyUnusable } from '../db/why-unusable.ts';
import { createLogger } from '../process/log.ts';
import { credentialsIn } from '../temporal/connection-options.ts';
import { createOrderGateway } from '../temporal/gateway.ts';
import { checkInvariants } from './check-invariants.ts';
import { findingText } from './finding.ts';

const USAGE = `usage: npm run check:invariants -- --database-url URL [--temporal-address HOST:PORT [--namespace NAME]]

Checks on a database, and on the workflows in a Temporal, everything that Corridor promises. Changes nothing.
Prints one line for each finding: what must hold, where it does not, what is expected, what was found.
Namespace, certificates and keys for Temporal come from the same variables as Corridor's: TEMPORAL_NAMESPACE,
TEMPORAL_API_KEY, TEMPORAL_TLS_… .
Exit code 1: there are findings. Exit code 2: the database or Temporal cannot be used, so nothing is known.`;

const options = readArguments();
const url = options?.['database-url'];
if (options?.help) process.stdout.write(`${USAGE}\n`);
else if (!options || !url) unknown(USAGE);
else if (!URL.canParse(url)) unknown(NO_DATABASE_URL);
else await check(url, options['temporal-address'], options.namespace);

function readArguments() {
  try {
    return parseArgs({
      options: {
        'database-url': { type: 'string' },
        'temporal-address': { type: 'string' },
        namespace: { type: 'string', default: process.env.TEMPORAL_NAMESPACE ?? 'corridor' },
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

async function check(url: string, address: string | undefined, namespace: string): Promise<void> {
  const log = createLogger('warn', process.stderr);
  const opening = openDatabase({ url, poolSize: 2, debug: (message) => log.debug(message) });
  const db = await opening.catch((error) => unknown(error.message));
  if (!db) return;
  const variables = credentialsIn(process.env);
  const gateway = address ? createOrderGateway({ address, variables, namespace, log }) : undefined;
  try {
    const findings = await checkInvariants({ db, gateway, log });
    const sound = gateway
      ? 'Everything holds.'
      : 'Everything holds; the workflows were not checked: name a Temporal by --temporal-address.';
    process.stdout.write(`${findings.map(findingText).join('\n') || sound}\n`);
    if (findings.length > 0) process.exitCode = 1;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    unknown(typeof code === 'string' ? whyUnusable({ code, message }, url) : message);
  } finally {
    await gateway?.close();
    await db.close();
  }
}
