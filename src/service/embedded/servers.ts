import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '../../process/startup-error.ts';
import type { Config } from '../../settings/config.ts';
import { SEARCH_ATTRIBUTE_TYPES } from '../../temporal/search-attribute-types.ts';
import { startPostgres } from './postgres.ts';
import { roleUrl } from './roles.ts';
import { commandOf } from './run-command.ts';
import { startTemporal } from './temporal.ts';
import { findTemporal, type Progress } from './temporal-binary.ts';

/** The URLs of one database. Without those of the owner and of the reader, the service's role does their work too. */
export interface DatabaseUrls {
  databaseUrl: string;
  ownerUrl?: string | undefined;
  readerUrl?: string | undefined;
}

/** The database and the Temporal server of an installation: embedded, or named by the settings. */
export interface Servers extends DatabaseUrls {
  temporalAddress: string;
  temporalUiUrl: string | undefined;
}

export interface ProvideOptions {
  progress: Progress;
  /** Receives the function that stops a server, as soon as the server has started. */
  onStarted: (stop: () => Promise<void>) => void;
  /** Aborts the slow steps of a start. */
  signal: AbortSignal;
}

/** Uses the servers that the settings name, and starts the others with their data in `DATA_DIR`. */
export async function provideServers(config: Config, options: ProvideOptions): Promise<Servers> {
  const { progress, onStarted, signal } = options;
  const dataDir = resolve(config.dataDir);
  if (!config.databaseUrl || !config.temporalAddress) onStarted(await lock(dataDir));
  const starts = [
    databaseIn(config) ?? embeddedPostgres(),
    config.temporalAddress
      ? { address: config.temporalAddress, uiUrl: config.temporalUiUrl }
      : embeddedTemporal(),
  ] as const;
  // If one fails, the other still finishes its start, because only a started server can be stopped.
  await Promise.allSettled(starts);
  const [database, temporal] = await Promise.all(starts);
  return { ...database, temporalAddress: temporal.address, temporalUiUrl: temporal.uiUrl };

  async function embeddedPostgres(): Promise<DatabaseUrls> {
    progress('starting PostgreSQL');
    const postgres = await startPostgres(join(dataDir, 'postgres'));
    onStarted(postgres.stop);
    return {
      databaseUrl: roleUrl(postgres.url, 'service'),
      ownerUrl: roleUrl(postgres.url, 'owner'),
      readerUrl: roleUrl(postgres.url, 'reader'),
    };
  }

  async function embeddedTemporal() {
    const binary = await findTemporal({ env: process.env, progress, signal });
    progress('starting Temporal');
    const file = join(dataDir, 'temporal.sqlite');
    const { temporalNamespace: name, temporalUiPort: uiPort } = config;
    const namespace = { name, searchAttributes: SEARCH_ATTRIBUTE_TYPES };
    const temporal = await startTemporal({ binary, file, namespace, uiPort });
    onStarted(temporal.stop);
    return temporal;
  }
}

/** The database that the settings name; undefined: none. */
export function databaseIn({
  databaseUrl,
  databaseOwnerUrl: ownerUrl,
  databaseReaderUrl: readerUrl,
}: Config): DatabaseUrls | undefined {
  return databaseUrl === undefined ? undefined : { databaseUrl, ownerUrl, readerUrl };
}

/** Allows one Corridor per data directory. Takes over a lock whose process has ended. */
async function lock(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'corridor.pid');
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${process.pid}\n`, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      // A link appears atomically, so no process reads a lock without its pid.
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
          `Corridor already runs on ${dataDir} (pid ${holder}). Stop it, or set DATA_DIR to another folder.`,
        );
      }
      await rm(file, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new StartupError(`${file} is locked: another Corridor is starting on the same folder. Try again.`);
}

/** After a crash in a container, the lock may hold the pid that this process has now. */
async function isCorridor(pid: number): Promise<boolean> {
  if (!pid || pid === process.pid) return false;
  return (await commandOf(pid)).includes('main.ts');
}
