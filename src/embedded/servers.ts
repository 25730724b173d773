import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { requireFreePort, StartupError } from './free-port.ts';
import { startPostgres } from './postgres.ts';
import { runCommand } from './run-command.ts';
import { startTemporal } from './temporal.ts';
import { findTemporal, type Progress } from './temporal-binary.ts';

/** The database and the Temporal server to work with, embedded or given. */
export interface Servers {
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  stop: () => Promise<void>;
}

/** Uses the servers that the settings name, and starts those that they do not, with their data in `DATA_DIR`. */
export async function provideServers(config: Config, progress: Progress): Promise<Servers> {
  const dataDir = resolve(config.dataDir);
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    if (!config.databaseUrl || !config.temporalAddress) stops.push(await lock(dataDir));
    const [databaseUrl, temporal] = await Promise.all([
      config.databaseUrl ?? embeddedPostgres(),
      config.temporalAddress
        ? { address: config.temporalAddress, uiUrl: config.temporalUiUrl }
        : embeddedTemporal(),
    ]);
    return { databaseUrl, temporalAddress: temporal.address, temporalUiUrl: temporal.uiUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function embeddedPostgres() {
    progress('starting PostgreSQL');
    const postgres = await startPostgres(join(dataDir, 'postgres'));
    stops.push(postgres.stop);
    return postgres.url;
  }

  async function embeddedTemporal() {
    await requireFreePort(config.temporalUiPort, '127.0.0.1', 'TEMPORAL_UI_PORT');
    const binary = await findTemporal({ env: process.env, progress });
    progress('starting Temporal');
    const file = join(dataDir, 'temporal.sqlite');
    const temporal = await startTemporal({ binary, file, uiPort: config.temporalUiPort });
    stops.push(temporal.stop);
    return temporal;
  }
}

/** One Corridor per data directory. A lock whose process is gone is taken over. */
async function lock(dataDir: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'corridor.pid');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(`${process.pid}\n`);
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const pid = Number(await readFile(file, 'utf8'));
      const command = await runCommand('ps', ['-p', String(pid), '-o', 'command=']).catch(() => '');
      if (command.includes('main.ts')) {
        throw new StartupError(
          `Corridor runs already on ${dataDir} (pid ${pid}). Stop it, or set DATA_DIR to another folder.`,
        );
      }
      await rm(file, { force: true });
    }
  }
  throw new StartupError(`${file} cannot be taken: another Corridor is starting on the same folder.`);
}
