import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Callers, createCallers } from '../dev/http-client.ts';
import { freePort } from '../src/process/free-port.ts';
import { NO_RATE_LIMITS } from '../test/support/no-rate-limits.ts';
import { newDatabase } from './databases.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import type { BenchServers } from './servers.ts';
import type { Usage } from './usage.ts';

export const ADMIN_KEY = 'bench-admin-key-of-some-length';
export const WEBHOOK_SECRET = 'bench-webhook-secret-of-some-length';

/** The flags that `npm start` passes to Node. All subjects get them. */
export const SHIPPED_FLAGS = shippedFlags();

function shippedFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [, flags] = /^exec node (.*)src\/main\.ts all$/.exec(scripts.start) ?? [];
  if (flags === undefined)
    throw new Error(`The bench cannot parse the "start" script of package.json: ${scripts.start}`);
  return flags.split(' ').filter(Boolean);
}

/** A Corridor in a process of its own. */
export interface BenchCorridor {
  process: RunningProcess;
  port: number;
  databaseUrl: string;
  /** The Temporal namespace. */
  namespace: string;
  callers: Callers;
  usage: () => Promise<Usage>;
}

/** Starts Corridor as `npm start` does, on the given servers and its own database, with the client limits off. */
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
  return {
    ...{ process, port, databaseUrl, namespace },
    callers: createCallers(`http://127.0.0.1:${port}`, ADMIN_KEY),
    usage: () => process.ask('usage'),
  };
}

/** Starts only the API process, which serves HTTP and sockets, on a migrated database. */
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

/** The default settings, with the client limits off, and webhooks to this machine. */
export const corridorEnv = (port: number, databaseUrl: string, temporalAddress: string) => ({
  PORT: String(port),
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: temporalAddress,
  ADMIN_API_KEY: ADMIN_KEY,
  WEBHOOK_SECRET,
  COMMAND_SECRET: 'bench-command-secret-of-some-length',
  ...NO_RATE_LIMITS,
  WEBHOOK_ALLOW_PRIVATE: 'true',
});
