import { startServer } from '../../src/http/http-server.ts';
import type { Engine, EngineDeps } from './engine.ts';
import { createTables, openPool } from './schema.ts';
import { createShop } from './shop.ts';

/** Each is imported only when it runs, so that no alternative loads the libraries of another. */
const ALTERNATIVES: Record<string, (deps: EngineDeps) => Promise<Engine>> = {
  'naive-temporal': async (s) => (await import('./naive-temporal.ts')).createNaiveTemporal(s),
  'naive-same-work': async (s) => (await import('./naive-temporal.ts')).createNaiveSameWork(s),
  'temporal-updates': async (s) => (await import('./temporal-updates.ts')).createTemporalUpdates(s),
  dbos: async (s) => (await import('./dbos.ts')).createDbos(s),
  'postgres-only': async (s) => (await import('./postgres-only.ts')).createPostgresOnly(s),
};

const USAGE = `usage: node bench/alternatives/main.ts <${Object.keys(ALTERNATIVES).join(' | ')}>

Serves one alternative on 127.0.0.1. PORT, DATABASE_URL and TEMPORAL_ADDRESS must be set.
Prints "ready". Ends on SIGTERM.`;

const { PORT, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress } = process.env;
const create = ALTERNATIVES[process.argv[2] ?? ''];
if (!create || !PORT || !databaseUrl || !temporalAddress) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const pool = openPool(databaseUrl);
await createTables(pool);
const engine = await create({ pool, databaseUrl, temporalAddress });
const server = await startServer(createShop(engine, pool).callback(), '127.0.0.1', Number(PORT));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
process.stdout.write('ready\n');

async function stop(): Promise<void> {
  await server.stop();
  await engine.close();
  await pool.end();
  process.exit();
}
