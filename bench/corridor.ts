import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Call, caller } from '../demo/http.ts';
import { freePort } from '../src/embedded/free-port.ts';
import { newDatabase } from './databases.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import type { BenchServers } from './servers.ts';
import type { Usage } from './usage.ts';

export const ADMIN_KEY = 'bench-admin-key-of-some-length';
export const WEBHOOK_SECRET = 'bench-webhook-secret-of-some-length';

/** What Node is given by `npm start` before the program and its parts. */
const SHIPPED_FLAGS = shippedFlags();

function shippedFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [, flags] = /^node (.*)src\/main\.ts all$/.exec(scripts.start) ?? [];
  if (flags === undefined) throw new Error(`npm start is not as the bench knows it: ${scripts.start}`);
  return flags.split(' ').filter(Boolean);
}

/** A Corridor in a process of its own. */
export interface BenchCorridor {
  process: RunningProcess;
  port: number;
  databaseUrl: string;
  /** Of Temporal. */
  namespace: string;
  /** Those who call it: without a key, as admin, with a key. */
  actors: { anyone: Call; admin: Call; as: (key: string) => Call };
  usage: () => Promise<Usage>;
}

/** As shipped: `npm start` on given servers and a database of its own, with its limits on callers off. */
export async function startCorridorProcess(
  { databaseUrl: maintenanceUrl, temporalAddress }: BenchServers,
  settings: Record<string, string> = {},
): Promise<BenchCorridor> {
  const port = await freePort();
  const databaseUrl = await newDatabase(maintenanceUrl);
  const namespace = `bench-${randomBytes(4).toString('hex')}`;
  const process = await startProcess(
    [...SHIPPED_FLAGS, '--import', './bench/usage.ts', 'src/main.ts', 'all'],
    {
      ...corridorEnv(port, databaseUrl, temporalAddress),
      TEMPORAL_NAMESPACE: namespace,
      ...settings,
    },
    /corridor: ready/,
  );
  const as = (key?: string) => caller(`http://127.0.0.1:${port}`, key);
  return {
    ...{ process, port, databaseUrl, namespace },
    actors: { anyone: as(), admin: as(ADMIN_KEY), as },
    usage: () => process.ask('usage'),
  };
}

/** The HTTP API and the sockets alone, on a migrated database. */
export async function startApiProcess(
  databaseUrl: string,
  temporalAddress: string,
): Promise<Pick<BenchCorridor, 'process' | 'port' | 'usage'>> {
  const port = await freePort();
  const process = await startProcess(
    [...SHIPPED_FLAGS, '--import', './bench/usage.ts', 'src/main.ts', 'api'],
    corridorEnv(port, databaseUrl, temporalAddress),
    /corridor: api is running/,
  );
  return { process, port, usage: () => process.ask('usage') };
}

/** Settings as shipped, with the limits on callers off. */
export const corridorEnv = (port: number, databaseUrl: string, temporalAddress: string) => ({
  PORT: String(port),
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: temporalAddress,
  ADMIN_API_KEY: ADMIN_KEY,
  WEBHOOK_SECRET,
  PAY_RATE_LIMIT: '0',
  REGISTER_RATE_LIMIT: '0',
  LOG_LEVEL: 'warn',
});
