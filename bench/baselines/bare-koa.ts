import Koa from 'koa';
import { startServer } from '../../src/http/http-server.ts';
import { authenticate } from '../alternatives/authenticate.ts';
import { createTables, openPool } from '../alternatives/schema.ts';

const USAGE = `usage: node bench/baselines/bare-koa.ts

Answers every request that has a key of bench_key with 200. It costs a hash and one read from PostgreSQL.
PORT and DATABASE_URL must be set. Prints "ready". Ends on SIGTERM.`;

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
