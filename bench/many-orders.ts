import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { migrate } from '../src/db/migrate.ts';
import { type Database, openDatabase } from '../src/db/orm.ts';
import { MAX_BULK_ORDERS } from '../src/domain/bulk.ts';
import { dryRunBulk } from '../src/operations/bulk/dry-run.ts';
import { openIncident } from '../src/orders/incidents.ts';
import { closeIncident } from '../src/orders/steps/close-incident.ts';
import { recordHeartbeatAndShiftDeadlines } from '../src/orders/steps/shift-deadlines.ts';
import { openBooks } from '../test/support/books.ts';
import { copiesOf } from '../test/support/copied-orders.ts';
import { newDatabase, startOwnPostgres } from './databases.ts';
import { plain } from './report.ts';

const USAGE = `usage: npm run bench:many-orders -- [--orders N]

Measures, on a database alone with N open orders (100000), with the service's limit of 4 s for a statement: the dry run of a bulk
run of half of them, at most ${MAX_BULK_ORDERS}; the end of an incident that stopped the clocks of all; and the first heartbeat after an outage.
For each it also shows its longest statement.`;

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '100000' }, help: { type: 'boolean', short: 'h' } },
});
const orders = Number(values.orders);
let longestMs = 0;
const { say, cleanup } = createProgram();

if (values.help) say(USAGE);
else await main().finally(cleanup.run);

async function main(): Promise<void> {
  const postgresUrl = await startOwnPostgres(cleanup);
  const url = await newDatabase(postgresUrl);
  await migrate({ url, debug: () => undefined });
  await fill(url);
  const db = timingStatements(await openDatabase({ url, poolSize: 2, debug: () => undefined }));
  try {
    const most = Math.min(MAX_BULK_ORDERS, orders / 2);
    await timed(`dry run of ${most} orders`, async () => {
      const id = await dryRunBulk(db, {
        ...{ action: 'extend', arguments: { by_ms: 3_600_000 }, where: 'agent=2', filter: { agent: [2] } },
        ...{ reason: 'measured', admin: 'admin:root' },
      });
      return `run ${id}`;
    });
    const { id } = await openIncident(
      db,
      { currency: 'KES', method: null, chain: null },
      'down',
      'admin:root',
    );
    await timed(`end of an incident of ${orders} orders`, async () => {
      const closed = await closeIncident(db, id, 'admin:root');
      return `${closed?.moved} deadlines moved`;
    });
    await recordHeartbeatAndShiftDeadlines(db, 0);
    await timed(`first heartbeat after an outage, ${orders} orders`, async () => {
      const moved = await recordHeartbeatAndShiftDeadlines(db, 60_000);
      return `${moved} deadlines moved`;
    });
  } finally {
    await db.close();
  }
}

/** Half of the orders belong to each of two agents, 1 and 2. */
async function fill(url: string): Promise<void> {
  for (let agent = 0; agent < 2; agent++) {
    const books = await openBooks(url);
    try {
      const draft = await books.draft(await books.newLp(), '1000');
      await books.create(draft);
      await copiesOf(books, draft.id, orders / 2 - 1, `${agent}-`);
      await books.db.query('bench-analyze', 'analyze', []);
    } finally {
      await books.db.close();
    }
  }
}

/** The database, whose statements `longestMs` follows. */
function timingStatements(db: Database): Database {
  return {
    ...db,
    query: async (name, text, values) => {
      const began = performance.now();
      try {
        return await db.query(name, text, values);
      } finally {
        longestMs = Math.max(longestMs, performance.now() - began);
      }
    },
  };
}

/** Runs one of the service's calls, and prints how long it and its longest statement took, and what it returns or how it fails. */
async function timed(what: string, work: () => Promise<string>): Promise<void> {
  longestMs = 0;
  const began = performance.now();
  const result = await work().catch((error: Error) => `failed: ${error.message}`);
  const seconds = (ms: number) => `${plain(ms / 1_000)} s`;
  say(`${what}: ${seconds(performance.now() - began)}, longest statement ${seconds(longestMs)}, ${result}`);
}
