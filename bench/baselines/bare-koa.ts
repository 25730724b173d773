import Koa from 'koa';
import { Order } from '../../src/db/entities/order.ts';
import { hashKey } from '../../src/http/access/keys.ts';
import { startServer } from '../../src/http/http-server.ts';
import { createTables, openPool } from '../alternatives/schema.ts';

const USAGE = `usage: node bench/baselines/bare-koa.ts

Answers every request that has a key of bench_key with 200. It costs a hash and one read from PostgreSQL, of the key with a
row that has as many columns as an order. PORT and DATABASE_URL must be set. Prints "ready". Ends on SIGTERM.`;

const { PORT, DATABASE_URL } = process.env;
if (!PORT || !DATABASE_URL) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const columns = Object.keys(Order.properties).map((_, n) => `column_${n}`);
const SHOWN = columns.slice(0, 12);

const pool = openPool(DATABASE_URL);
await createTables(pool);
await pool.query(
  `create table wide_row (${columns.map((name) => `${name} text not null default 'some value'`).join(', ')});
   insert into wide_row default values`,
);
const app = new Koa();
app.use(async (ctx) => {
  const [, key = ''] = /^Bearer (\S+)$/i.exec(ctx.get('authorization')) ?? [];
  const { rows } = await pool.query({
    name: 'bench-wide-row',
    text: 'select key.lp_id, wide_row.* from bench_key key, wide_row where key.key_hash = $1',
    values: [hashKey(key)],
  });
  ctx.status = rows[0] ? 200 : 401;
  ctx.body = Object.fromEntries(SHOWN.map((name) => [name, rows[0]?.[name]]));
});
const server = await startServer(app.callback(), '127.0.0.1', Number(PORT));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
process.stdout.write('ready\n');

async function stop(): Promise<void> {
  await server.stop();
  await pool.end();
  process.exit();
}
