import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../../src/process/free-port.ts';
import { startPostgres } from '../../src/service/embedded/postgres.ts';
import { startTemporal } from '../../src/service/embedded/temporal.ts';
import { SEARCH_ATTRIBUTE_TYPES } from '../../src/temporal/search-attribute-types.ts';
import { eventually } from '../../test/support/eventually.ts';

/** A server that can be killed and restarted on the same data. It listens on another port each time. */
export interface KillableServer {
  url: () => URL;
  /** SIGKILL, as in a power failure. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** PostgreSQL with its default settings: committed data is on the disk. */
export async function startKillablePostgres(folder: string): Promise<KillableServer> {
  const dataDir = join(folder, 'postgres');
  let server = await startPostgres(dataDir);
  return {
    url: () => new URL(server.url),
    kill: async () => {
      const [pid] = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      // Until its process has ended, a new server would refuse to start.
      await eventually(async () => !isRunning(Number(pid)));
    },
    start: async () => {
      // The killed server's children end a little later. Until then they hold its shared memory.
      server = await eventually(() => startPostgres(dataDir).catch(() => undefined));
    },
    stop: () => server.stop(),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export interface KillableTemporal extends KillableServer {
  /** Kills the server and deletes its data. */
  loseEverything: () => Promise<void>;
}

/** The namespace of the installation. */
export const NAMESPACE = 'faults';

/** Temporal's development server with the settings of `npm start`. */
export async function startKillableTemporal(folder: string, binary: string): Promise<KillableTemporal> {
  const file = join(folder, 'temporal', 'temporal.sqlite');
  const start = async () =>
    startTemporal({
      ...{ binary, file, uiPort: await freePort() },
      namespace: { name: NAMESPACE, searchAttributes: SEARCH_ATTRIBUTE_TYPES },
    });
  let server = await start();
  const kill = async () => {
    process.kill(Number(await readFile(`${file}.pid`, 'utf8')), 'SIGKILL');
    // Waits for its end, and deletes its pid file.
    await server.stop();
  };
  return {
    url: () => new URL(`temporal://${server.address}`),
    kill,
    start: async () => {
      // A port that it needs may have been taken since it was chosen.
      server = await start().catch(start);
    },
    stop: () => server.stop(),
    loseEverything: async () => {
      await kill();
      await rm(dirname(file), { recursive: true });
    },
  };
}
