import { join, resolve } from 'node:path';
import { type Config, loadConfig } from '../config.ts';
import { runningPostgres } from '../embedded/postgres.ts';
import { runningTemporal } from '../embedded/temporal.ts';
import { workflowsUrl } from '../temporal-ui.ts';
import { CliError } from './connection.ts';

/**
 * The servers themselves, for what has to be told even where the API is away: those that the settings name, and else
 * those of the Corridor that runs in DATA_DIR. A start that was killed leaves them running, and they are found as well.
 */
export interface OwnServers {
  config: Config;
  /** Undefined, where none is named and none runs in DATA_DIR. */
  databaseUrl: string | undefined;
  /** host:port. */
  temporalAddress: string | undefined;
  /** The page that lists the workflows, for people; undefined where it is not known. */
  workflowsUrl: string | undefined;
}

export async function ownServers(env: NodeJS.ProcessEnv): Promise<OwnServers> {
  const config = loadConfig(env);
  const folder = resolve(config.dataDir);
  const embedded = config.temporalAddress
    ? undefined
    : await runningTemporal(join(folder, 'temporal.sqlite'));
  const ui = config.temporalUiUrl ?? embedded?.uiUrl;
  return {
    config,
    databaseUrl: config.databaseUrl ?? (await runningPostgres(join(folder, 'postgres'))),
    temporalAddress: config.temporalAddress ?? embedded?.address,
    workflowsUrl: ui && workflowsUrl(ui, config.temporalNamespace),
  };
}

const START = 'Start one with "npm start"';
export const noDatabase = ({ dataDir }: Config): string =>
  `No database runs in ${resolve(dataDir)}. ${START}, set DATABASE_URL, or give --database-url.`;
export const noTemporal = ({ dataDir }: Config): string =>
  `No Temporal runs in ${resolve(dataDir)}. ${START}, or set TEMPORAL_ADDRESS.`;

const GRPC_DEADLINE_EXCEEDED = 4;

/** That the Temporal did not answer, and why. What gRPC tells of a deadline is of its own inside, and nothing of the cause. */
export function noAnswerOf(address: string, namespace: string, error: unknown): string {
  const { code, details, message } = error as { code?: number; details?: string; message: string };
  const why = code === GRPC_DEADLINE_EXCEEDED ? '' : ` (${details || message})`;
  return `Temporal at ${address} does not answer for ${namespace}${why}.`;
}

/** The address of the Temporal, for what cannot do without. */
export function temporalOf({ temporalAddress, config }: OwnServers): string {
  if (!temporalAddress) throw new CliError(noTemporal(config));
  return temporalAddress;
}
