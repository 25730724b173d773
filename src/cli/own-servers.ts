import { join, resolve } from 'node:path';
import { runningPostgres } from '../service/embedded/postgres.ts';
import { roleUrl } from '../service/embedded/roles.ts';
import { runningTemporal } from '../service/embedded/temporal.ts';
import { type Config, loadCommandConfig } from '../settings/config.ts';
import { workflowsUrl } from '../temporal/ui.ts';
import { CliError } from './connection.ts';

/**
 * The servers that a command reaches without the API: those that the settings name, otherwise those of the Corridor
 * that runs in DATA_DIR. Servers that a killed start left running count too.
 */
export interface OwnServers {
  config: Config;
  /** For a role that reads. Undefined if the settings name none and none runs in DATA_DIR. */
  databaseUrl: string | undefined;
  /** The setting that names it. Undefined if none does. */
  databaseSetting: string | undefined;
  /** host:port. */
  temporalAddress: string | undefined;
  /** The UI's page that lists the workflows; undefined if unknown. */
  workflowsUrl: string | undefined;
}

export async function ownServers(env: NodeJS.ProcessEnv): Promise<OwnServers> {
  const config = loadCommandConfig(env);
  const folder = resolve(config.dataDir);
  const embedded = config.temporalAddress
    ? undefined
    : await runningTemporal(join(folder, 'temporal.sqlite'));
  const { databaseReaderUrl, databaseUrl } = config;
  const ui = config.temporalUiUrl ?? embedded?.uiUrl;
  return {
    config,
    databaseUrl: databaseReaderUrl ?? databaseUrl ?? (await embeddedDatabase(folder)),
    databaseSetting: databaseReaderUrl ? 'DATABASE_READER_URL' : databaseUrl ? 'DATABASE_URL' : undefined,
    temporalAddress: config.temporalAddress ?? embedded?.address,
    workflowsUrl: ui && workflowsUrl(ui, config.temporalNamespace),
  };
}

async function embeddedDatabase(folder: string): Promise<string | undefined> {
  const url = await runningPostgres(join(folder, 'postgres'));
  return url && roleUrl(url, 'reader');
}

/** The address of the database that the settings name, or that runs in DATA_DIR. Rejects with a CliError without one. */
export async function configuredDatabase(env: NodeJS.ProcessEnv): Promise<string> {
  const { databaseUrl, config } = await ownServers(env);
  if (databaseUrl) return databaseUrl;
  throw new CliError(noDatabase(config));
}

const START = 'Start one with "npm start"';
export const noDatabase = ({ dataDir }: Config): string =>
  `No database runs in DATA_DIR (${resolve(dataDir)}). ${START}, set DATA_DIR to the folder of the one that runs, set DATABASE_URL, or give --database-url.`;
export const noTemporal = ({ dataDir }: Config): string =>
  `No Temporal runs in DATA_DIR (${resolve(dataDir)}). ${START}, set DATA_DIR to the folder of the one that runs, or set TEMPORAL_ADDRESS.`;

const GRPC_DEADLINE_EXCEEDED = 4;

/** Reports that Temporal did not answer, and why. gRPC's text for a missed deadline says nothing about the cause. */
export function noAnswerOf(address: string, namespace: string, error: unknown): string {
  const { code, details, message } = error as { code?: number; details?: string; message: string };
  const why = code === GRPC_DEADLINE_EXCEEDED ? '' : ` (${details || message})`;
  return `Temporal at ${address} does not answer for ${namespace}${why}.`;
}
