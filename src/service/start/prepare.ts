import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { ClosedTables, migrate, needsMigration, requireReader } from '../../db/migrate.ts';
import { openConnections } from '../../db/pool.ts';
import { hasPresentSchema } from '../../db/present-schema.ts';
import { isRestoredDump } from '../../db/restore.ts';
import { portError, requireFreePort } from '../../process/free-port.ts';
import { StartupError } from '../../process/startup-error.ts';
import type { Config } from '../../settings/config.ts';
import { IncompleteNamespace } from '../../temporal/namespace.ts';
import { ownerOptions, type Shared } from '../compose.ts';
import { type DatabaseUrls, databaseIn, provideServers, type Servers } from '../embedded/servers.ts';
import { type Part, runsWorker, servesApi } from './part.ts';
import { reachable } from './reachable.ts';
import { say } from './say.ts';
import type { Shutdown } from './shutdown.ts';

const NAMESPACE_TIMEOUT_MS = 120_000;
/** An operator who waits longer needs to know what Corridor waits for: the address may be wrong. */
const NAMESPACE_EXPECTED_WITHIN_MS = 5_000;

export async function requirePorts(part: Part, { port, host, metrics }: Config): Promise<void> {
  if (servesApi(part)) await requireFreePort(port, host, 'PORT');
  if (part === 'migrate' || !metrics) return;
  if (servesApi(part) && metrics.port === port) throw new StartupError('METRICS_PORT must differ from PORT.');
  await requireFreePort(metrics.port, metrics.host, 'METRICS_PORT');
}

/** `server` starts to listen. Another program may have taken its port since `requirePorts`. */
export const listening = <T>(server: Promise<T>, port: number, host: string, setting: string): Promise<T> =>
  server.catch((error: NodeJS.ErrnoException) => {
    throw error.syscall === 'listen' ? portError(error, port, host, setting) : error;
  });

/** The servers that the settings name. `all` starts those that they do not name. */
export async function serversFor(part: Part, config: Config, shutdown: Shutdown): Promise<Servers> {
  if (part === 'all') return startServers(config, shutdown);
  const { temporalAddress, temporalUiUrl } = config;
  const database = databaseIn(config);
  if (!database || !temporalAddress)
    throw new StartupError(
      'DATABASE_URL and TEMPORAL_ADDRESS must be set to run one part; "all" starts its own servers without them.',
    );
  return { ...database, temporalAddress, temporalUiUrl };
}

/**
 * The database that the settings name, or the embedded one. Refuses if that does not exist: a new one in its place would look
 * like a restored one without data.
 */
export async function existingDatabase(config: Config, shutdown: Shutdown): Promise<DatabaseUrls> {
  const named = databaseIn(config);
  if (named) return named;
  const dataDir = resolve(config.dataDir);
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION')))
    throw new StartupError(
      `DATA_DIR (${dataDir}) has no database. Unpack the backup there first, or set DATA_DIR to the folder where you have unpacked it: docs/operations.md#back-up-and-restore`,
    );
  return startServers(config, shutdown);
}

const startServers = (config: Config, { add, signal }: Shutdown): Promise<Servers> =>
  provideServers(config, { progress: say, onStarted: add, signal });

/** `all` and `migrate` bring the schema up to date; the others refuse to start on an older one. */
export async function prepareDatabase(part: Part, shared: Shared): Promise<void> {
  const { databaseUrl: url, db } = shared;
  const applied = part === 'all' || part === 'migrate' ? await bringUpToDate(shared) : [];
  if (await reachable('PostgreSQL', url, needsMigration(db)))
    throw new StartupError('The database is not up to date. Run "migrate" first.');
  await requirePresentSchema(shared);
  if (part === 'migrate' && applied.length === 0) say('the database is up to date');
  if (part !== 'migrate' && (await reachable('PostgreSQL', url, isRestoredDump(db))))
    throw new StartupError(
      'The database was restored from a dump. Run "restored" first (docs/operations.md).',
    );
}

/** An API reads the metrics of the installation as the reader. They would be missing silently. */
export async function prepareReader(part: Part, { reader, readerUrl }: Shared): Promise<void> {
  if (servesApi(part) && readerUrl)
    await reachable('PostgreSQL of DATABASE_READER_URL', readerUrl, requireReader(reader));
}

/** Returns the names of the migrations that were pending. */
async function bringUpToDate(shared: Shared): Promise<string[]> {
  const options = ownerOptions(shared);
  const migrating = migrate(options).catch((error) => {
    // The superuser owned what earlier versions of Corridor created here.
    throw error instanceof ClosedTables && !shared.config.databaseUrl ? otherVersion(shared) : error;
  });
  const { applied, missingRoles } = await reachable('PostgreSQL', options.url, migrating);
  for (const name of applied) say(`applied ${name}`);
  if (missingRoles.length > 0)
    say(
      `PostgreSQL has no role ${missingRoles.join(' and no role ')}, and the owner of the database may not create it: docs/operations.md#the-roles-of-the-database`,
    );
  return applied;
}

/** Until the first release the initial schema changes in place, so nothing can bring such a database up to date. */
async function requirePresentSchema(shared: Shared): Promise<void> {
  const { databaseUrl, db } = shared;
  if (!(await reachable('PostgreSQL', databaseUrl, hasPresentSchema(db)))) throw otherVersion(shared);
}

function otherVersion({ config: { databaseUrl, dataDir } }: Shared): StartupError {
  const remedy = databaseUrl
    ? 'Set DATABASE_URL to an empty database.'
    : `Remove ${resolve(dataDir)}, or set DATA_DIR to another folder, to start with a new one.`;
  return new StartupError(
    `The database was made by another version of Corridor, whose schema this one cannot change. ${remedy}`,
  );
}

/** Creates the Temporal namespace and its search attributes if they are missing, or checks those that somebody else manages. */
export async function prepareNamespace(
  { config, gateway, temporalAddress: address }: Shared,
  signal: AbortSignal,
): Promise<void> {
  say(`checking Temporal's namespace ${config.temporalNamespace}`);
  const notice = setTimeout(
    () =>
      say(
        `Temporal at ${address} cannot be used yet; waiting up to ${NAMESPACE_TIMEOUT_MS / 60_000} minutes`,
      ),
    NAMESPACE_EXPECTED_WITHIN_MS,
  );
  const prepared = gateway.prepareNamespace(NAMESPACE_TIMEOUT_MS, signal);
  await reachable('Temporal', `temporal://${address}`, prepared).finally(() => clearTimeout(notice));
}

const UNREACHABLE_AFTER_MS = 3_000;

/**
 * Checks the namespace for an API, and creates nothing. An API starts without Temporal and is not ready until it answers,
 * so this refuses only what an operator must mend. A worker or `migrate` creates what is missing in a namespace that Corridor
 * manages.
 */
export async function checkNamespace({ config, gateway, log }: Shared, signal: AbortSignal): Promise<void> {
  try {
    await gateway.checkNamespace(UNREACHABLE_AFTER_MS, signal);
  } catch (err) {
    signal.throwIfAborted();
    const isMended = err instanceof IncompleteNamespace && config.managesTemporalNamespace;
    if (err instanceof StartupError && !isMended) throw err;
    log.warn({ err }, 'Temporal cannot be used yet; starting, and not ready until it can');
  }
}

/**
 * Opens the pool's connections before the first request needs them. While a release is current, Temporal gives no work
 * to a worker without a release. Such a worker refuses to start, because orders would stand still silently.
 */
export async function prepareWork(part: Part, shared: Shared, log: Logger): Promise<void> {
  await openConnections(shared.db.pool).catch((err) =>
    log.warn({ err }, 'not all connections of DATABASE_POOL_SIZE could be opened; continuing with fewer'),
  );
  if (runsWorker(part)) await requireRouting(shared);
}

async function requireRouting({ config, gateway, temporalAddress }: Shared): Promise<void> {
  if (config.workerRelease !== undefined) return;
  const current = await reachable('Temporal', `temporal://${temporalAddress}`, gateway.releases.current());
  if (current === null) return;
  throw new StartupError(
    `Temporal gives all orders to workers of release ${current}. Set WORKER_RELEASE, or end the use of releases first: docs/releases.md.`,
  );
}
