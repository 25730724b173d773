import { parseArgs } from 'node:util';
import { openDatabase } from '../db/orm.ts';
import { NO_DATABASE_URL, whyUnusable } from '../db/why-unusable.ts';
import { createLogger } from '../log.ts';
import { createOrderGateway } from '../orders/gateway.ts';
import { breachInWords, checkInvariants } from './check.ts';

const USAGE = `usage: npm run check:invariants -- --database-url URL [--temporal-address HOST:PORT [--namespace NAME]]

Proves on a database, and the workflows in a Temporal, what Corridor promises. Changes nothing.
One line for each breach: what, where, what is expected, what is found. Exit code 1 where there is one, and 2 where
nothing is known, because the database or the Temporal cannot be used.`;

const asked = readArguments();
if (asked?.help) process.stdout.write(`${USAGE}\n`);
else if (!asked?.['database-url']) unknown(USAGE);
else if (!URL.canParse(asked['database-url'])) unknown(NO_DATABASE_URL);
else await check(asked['database-url'], asked['temporal-address'], asked.namespace);

function readArguments() {
  try {
    return parseArgs({
      options: {
        'database-url': { type: 'string' },
        'temporal-address': { type: 'string' },
        namespace: { type: 'string', default: 'corridor' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

/** Nothing was proved, neither one thing nor the other. */
function unknown(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exitCode = 2;
}

async function check(url: string, address: string | undefined, namespace: string): Promise<void> {
  const log = createLogger('warn', process.stderr);
  const db = await openDatabase({ url, poolSize: 2, debug: (message) => log.debug(message) });
  const gateway = address ? createOrderGateway({ address, namespace, log }) : undefined;
  try {
    const breaches = await checkInvariants({ db, gateway, log });
    for (const breach of breaches) process.stdout.write(`${breachInWords(breach)}\n`);
    if (breaches.length > 0) process.exitCode = 1;
    else
      process.stdout.write(
        `Everything holds${gateway ? '' : '; Temporal was not looked at: name it by --temporal-address'}.\n`,
      );
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    unknown(typeof code === 'string' ? whyUnusable({ code, message }, url) : message);
  } finally {
    await gateway?.close();
    await db.close();
  }
}
