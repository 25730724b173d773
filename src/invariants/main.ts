import { parseArgs } from 'node:util';
import { openDatabase } from '../db/orm.ts';
import { createLogger } from '../log.ts';
import { createOrderGateway } from '../orders/gateway.ts';
import { breachInWords, checkInvariants } from './check.ts';

const USAGE = `usage: npm run check:invariants -- --database-url URL [--temporal-address HOST:PORT [--namespace NAME]]

Proves on a database, and the workflows in a Temporal, what Corridor promises. Changes nothing.
One line for each breach: what, where, what is expected, what is found. Exit code 1 where there is one.`;

const { values } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    'temporal-address': { type: 'string' },
    namespace: { type: 'string', default: 'corridor' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { 'database-url': url, 'temporal-address': address, namespace } = values;

if (values.help) process.stdout.write(`${USAGE}\n`);
else if (!url) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else await check(url);

async function check(url: string): Promise<void> {
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
  } finally {
    await gateway?.close();
    await db.close();
  }
}
