import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { StartupError } from './free-port.ts';
import { startPostgres } from './postgres.ts';
import { commandOf } from './run-command.ts';
import { startTemporal } from './temporal.ts';
import { findTemporal, type Progress } from './temporal-binary.ts';

/** The database and the Temporal server to work with, embedded or given. */
export interface Servers {
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
}

export interface ProvideOptions {
  progress: Progress;
  /** Told of each server as it starts: how to stop it. */
  onStarted: (stop: () => Promise<void>) => void;
  /** Ends the slow steps of a start. */
  signal: AbortSignal;
}

/** Uses the servers that the settings name, and starts those that they do not, with their data in `DATA_DIR`. */
export async function provideServers(config: Config, options: ProvideOptions): Promise<Servers> {
  const { progress, onStarted, signal } = options;
  const dataDir = resolve(config.dataDir);
  if (!config.databaseUrl || !config.temporalAddress) onStarted(await lock(dataDir));
  const starts = [
    config.databaseUrl ?? embeddedPostgres(),
    config.temporalAddress
      ? { address: config.temporalAddress, uiUrl: config.temporalUiUrl }
      : embeddedTemporal(),
  ] as const;
  // When one fails, the other is let finish: it can only be stopped once it has started.
  await Promise.allSettled(starts);
  const [databaseUrl, temporal] = await Promise.all(starts);
  return { databaseUrl, temporalAddress: temporal.address, temporalUiUrl: temporal.uiUrl };

  async function embeddedPostgres() {
    progress('starting PostgreSQL');
    const postgres = await startPostgres(join(dataDir, 'postgres'));
    onStarted(postgres.stop);
    return postgres.url;
  }

  async function embeddedTemporal() {
    const binary = await findTemporal({ env: process.env, progress, signal });
    progress('starting Temporal');
    const file = join(dataDir, 'temporal.sqlite');
    const temporal = await startTemporal({ binary, file, uiPort: config.temporalUiPort });
    onStarted(temporal.stop);
    return temporal;
  }
}

/** One Corridor per data directory. A lock whose process is gone is taken over. */
async function lock(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'corridor.pid');
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${process.pid}\n`);
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      // A link appears whole or not at all, so nobody ever reads a lock without its pid.
      const taken = await link(draft, file).then(
        () => true,
        (error) => {
          if (error.code !== 'EEXIST') throw error;
          return false;
        },
      );
      if (taken) return () => rm(file, { force: true });
      const holder = Number(await readFile(file, 'utf8').catch(() => ''));
      if (await isCorridor(holder)) {
        throw new StartupError(
          `Corridor runs already on ${dataDir} (pid ${holder}). Stop it, or set DATA_DIR to another folder.`,
        );
      }
      await rm(file, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new StartupError(`${file} cannot be taken: another Corridor is starting on the same folder.`);
}

/** After a crash in a container the lock may hold the pid that this process has now. */
async function isCorridor(pid: number): Promise<boolean> {
  if (!pid || pid === process.pid) return false;
  return (await commandOf(pid)).includes('main.ts');
}
