import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { eventually } from '../support/eventually.ts';

/** A server that can be killed, and started again on the same data. It listens on another port each time. */
export interface KillableServer {
  url: () => URL;
  /** SIGKILL, as a power cut would have it. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** PostgreSQL with its own settings: what it says is committed is on the disk. */
export async function startKillablePostgres(folder: string): Promise<KillableServer> {
  const dataDir = join(folder, 'postgres');
  let server = await startPostgres(dataDir);
  return {
    url: () => new URL(server.url),
    kill: async () => {
      const [pid] = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      // As long as it has not quite gone, a start would take it for one that runs.
      await eventually(async () => !isThere(Number(pid)));
    },
    start: async () => {
      // Its children end when they notice; until then they hold the memory that a new server wants.
      server = await eventually(() => startPostgres(dataDir).catch(() => undefined));
    },
    stop: () => server.stop(),
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

export interface KillableTemporal extends KillableServer {
  /** Kills it and deletes all that it knew. */
  loseEverything: () => Promise<void>;
}

/** Temporal's development server with the settings that `npm start` gives it. */
export async function startKillableTemporal(folder: string, binary: string): Promise<KillableTemporal> {
  const file = join(folder, 'temporal', 'temporal.sqlite');
  const start = async () => startTemporal({ binary, file, uiPort: await freePort() });
  let server = await start();
  const kill = async () => {
    process.kill(Number(await readFile(`${file}.pid`, 'utf8')), 'SIGKILL');
    // Sees that it has ended, and takes its pid file away.
    await server.stop();
  };
  return {
    url: () => new URL(`temporal://${server.address}`),
    kill,
    start: async () => {
      server = await start();
    },
    stop: () => server.stop(),
    loseEverything: async () => {
      await kill();
      await rm(dirname(file), { recursive: true });
    },
  };
}
