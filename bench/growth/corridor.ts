import { randomBytes } from 'node:crypto';
import { migrate } from '../../src/db/migrate.ts';
import { freePort } from '../../src/process/free-port.ts';
import { corridorEnv } from '../corridor.ts';
import { newDatabase } from '../databases.ts';
import { type RunningProcess, startProcess } from '../processes.ts';
import type { BenchServers } from '../servers.ts';

/** A database and its Temporal namespace. */
export interface Installation {
  databaseUrl: string;
  temporalAddress: string;
  namespace: string;
}

/** Creates a database with the schema. The first worker creates the namespace. */
export async function newInstallation(servers: BenchServers): Promise<Installation> {
  const databaseUrl = await newDatabase(servers.databaseUrl);
  await migrate({ url: databaseUrl, debug: () => undefined });
  const namespace = `growth-${randomBytes(4).toString('hex')}`;
  return { databaseUrl, temporalAddress: servers.temporalAddress, namespace };
}

/** The port of the API, if the part includes it. */
export interface RunningPart extends RunningProcess {
  port: number;
}

/** Starts a part of Corridor in its own process, and resolves when it is ready. */
export async function startPart(
  part: 'all' | 'api' | 'worker',
  { databaseUrl, temporalAddress, namespace }: Installation,
): Promise<RunningPart> {
  const port = await freePort();
  const env = {
    ...corridorEnv(port, databaseUrl, temporalAddress),
    TEMPORAL_NAMESPACE: namespace,
    // LPs with strikes may claim.
    STRIKE_COOL_DOWN: '0s',
  };
  return {
    port,
    ...(await startProcess(['src/main.ts', part], env, /corridor: (ready|api is running|worker is running)/)),
  };
}
