import { parseArgs } from 'node:util';
import { migrate } from '../../src/db/migrate.ts';
import { seed } from './seeding.ts';

const USAGE = `usage: node_modules/.bin/node bench/growth/seed.ts --database-url URL --orders N

Fills an empty database with N orders that have ended, and a few that go on, as Corridor would have left them. Prints
the keys of its agents and LPs as JSON. The URL must be a superuser's; the database is made where it is missing.`;

const { values } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    orders: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { 'database-url': databaseUrl } = values;
const orders = Number(values.orders);

if (values.help) process.stdout.write(`${USAGE}\n`);
else if (!databaseUrl || !Number.isInteger(orders) || orders < 1) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  await migrate({ url: databaseUrl, create: true, debug: () => undefined });
  const actors = await seed({ databaseUrl, orders, progress });
  process.stdout.write(`${JSON.stringify(actors, null, 2)}\n`);
}
