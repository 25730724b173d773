import Koa from 'koa';
import { startServer } from '../../src/server.ts';
import { authenticate } from '../contestants/authenticate.ts';
import { createTables, openPool } from '../contestants/schema.ts';

const USAGE = `usage: node bench/floors/bare-koa.ts

Answers every request by a key of bench_key with 200: a hash, one read of PostgreSQL, and no more.
PORT and DATABASE_URL must be set. Prints "ready", and ends on SIGTERM.`;

const { PORT, DATABASE_URL } = process.env;
if (!PORT || !DATABASE_URL) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const pool = openPool(DATABASE_URL);
await createTables(pool);
const app = new Koa();
app.use(authenticate(pool));
app.use((ctx) => {
  ctx.body = { ok: true };
});
const server = await startServer(app.callback(), '127.0.0.1', Number(PORT));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
process.stdout.write('ready\n');

async function stop(): Promise<void> {
  await server.stop();
  await pool.end();
  process.exit();
}
