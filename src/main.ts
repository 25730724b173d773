import type { Logger } from 'pino';
import {
  databaseOptions,
  type Foundation,
  openShared,
  type Shared,
  startApi,
  startOrderWorker,
} from './compose.ts';
import { type Config, hostInUrl, loadConfig } from './config.ts';
import { armCrashPoints } from './crash-point.ts';
import { goOnAfterRestore, isRestoredDump } from './db/commands/go-on-after-restore.ts';
import { migrate, needsMigration } from './db/orm.ts';
import { openConnections } from './db/pool.ts';
import { causeOf } from './db/why-unusable.ts';
import { requireFreePort, StartupError } from './embedded/free-port.ts';
import { provideServers, type Servers } from './embedded/servers.ts';
import { createLogger } from './log.ts';
import { startMetricsServer } from './metrics/server.ts';
import { temporalSdkMetrics } from './metrics/temporal-sdk.ts';
import { loadSecrets } from './secrets.ts';
import { workflowsUrl } from './temporal-ui.ts';
import { startTracing } from './tracing/start.ts';
import { traceFields } from './tracing/tracing.ts';
import { forwardSdkLogs } from './worker.ts';

const USAGE = `usage: node_modules/.bin/node src/main.ts [all | api | worker | migrate | restored]

  all      everything in one process; PostgreSQL and Temporal too, unless DATABASE_URL and TEMPORAL_ADDRESS are set
  api      the HTTP API
  worker   the order workflows and their activities
  migrate  brings the database and the Temporal namespace up to date, then ends
  restored makes a database that was restored from a backup fit to be used, then ends`;

const PARTS = ['all', 'api', 'worker', 'migrate', 'restored'] as const;
type Part = (typeof PARTS)[number];
const NAMESPACE_TIMEOUT_MS = 120_000;
/** Who waits longer should know for what: the address may be wrong. */
const NAMESPACE_HOPED_WITHIN_MS = 5_000;

/** For people; the log on stdout is for machines. */
const say = (line: string) => process.stderr.write(`${line}\n`);

/** What has been started, to be stopped in the opposite order. */
const started: (() => Promise<void>)[] = [];
const stopping = new AbortController();
let stopped: Promise<void> | undefined;

const starting = main();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stopOnSignal());
await starting;

async function main(): Promise<void> {
  try {
    const args = process.argv.slice(2);
    if (args[0] === '--help' || args[0] === '-h') return void process.stdout.write(`${USAGE}\n`);
    const part = partFrom(args);
    await run(part, loadConfig(process.env));
  } catch (error) {
    if (stopping.signal.aborted) return;
    say(`corridor: ${error instanceof StartupError ? error.message : (error as Error).stack}`);
    process.exitCode = 1;
    await stopAll();
  }
}

function partFrom(args: string[]): Part {
  const part = PARTS.find((name) => name === (args[0] ?? 'all'));
  if (!part || args.length > 1) throw new StartupError(USAGE);
  return part;
}

async function run(part: Part, config: Config): Promise<void> {
  const log = createLogger(config.logLevel, process.stdout, config.traces && traceFields);
  started.push(await startTracing(config.traces, log));
  armCrashPoints(config.crashPoints);
  if (part === 'restored') return restored(config, log);
  if (part === 'all' || part === 'api') await requireFreePort(config.port, config.host, 'PORT');
  if (part !== 'migrate' && config.metrics) {
    if (part !== 'worker' && config.metrics.port === config.port) {
      throw new StartupError('METRICS_PORT must be another than PORT.');
    }
    await requireFreePort(config.metrics.port, config.metrics.host, 'METRICS_PORT');
  }
  const servers = part === 'all' ? await embedded(config) : given(config);
  stopping.signal.throwIfAborted();
  const secrets = await loadSecrets(config);
  const foundation: Foundation = { config, secrets, log, ...servers };
  const shared = await openShared(foundation);
  started.push(shared.close);

  if (part === 'all' || part === 'migrate') {
    const applied = await reachable('PostgreSQL', servers.databaseUrl, migrate(databaseOptions(foundation)));
    for (const name of applied) say(`corridor: applied ${name}`);
    if (part === 'migrate' && applied.length === 0) say('corridor: the database is up to date');
  } else if (await reachable('PostgreSQL', servers.databaseUrl, needsMigration(shared.db))) {
    throw new StartupError('The database is not up to date. Run "migrate" first.');
  }
  if (part !== 'migrate' && (await isRestoredDump(shared.db)))
    throw new StartupError(
      'The database was restored from a dump. Run "restored" first (docs/operations.md).',
    );
  if (part !== 'api') {
    say(`corridor: seeing to Temporal's namespace ${config.temporalNamespace}`);
    const address = servers.temporalAddress;
    const patience = setTimeout(() => {
      say(
        `corridor: Temporal at ${address} cannot be used yet; giving it ${NAMESPACE_TIMEOUT_MS / 60_000} minutes`,
      );
    }, NAMESPACE_HOPED_WITHIN_MS);
    const seen = shared.gateway.ensureNamespace(NAMESPACE_TIMEOUT_MS, stopping.signal);
    await reachable('Temporal', `temporal://${address}`, seen).finally(() => clearTimeout(patience));
  }
  stopping.signal.throwIfAborted();
  if (part !== 'migrate')
    await openConnections(shared.db.pool).catch((err) =>
      log.warn({ err }, 'not all connections of DATABASE_POOL_SIZE could be opened; going on with fewer'),
    );
  if (part === 'all' || part === 'worker') {
    await seeThatItIsGivenWork(shared);
    await runWorker(shared);
  }
  stopping.signal.throwIfAborted();
  if (part === 'all' || part === 'api') started.push((await startApi(shared)).stop);
  if (part === 'migrate') return stopAll();
  if (config.metrics) started.push((await startMetricsServer(shared.metrics, config.metrics)).stop);

  const ui = servers.temporalUiUrl && workflowsUrl(servers.temporalUiUrl, config.temporalNamespace);
  const all = part === 'all';
  say(
    [
      `corridor: ${all ? 'ready' : `${part} is running`}`,
      ...(part === 'worker'
        ? []
        : [
            `  API          ${config.publicUrl}`,
            `  Reference    ${config.publicUrl}/docs`,
            `  Console      ${config.publicUrl}/console`,
          ]),
      ...(config.metrics
        ? [`  Metrics      http://${hostInUrl(config.metrics.host)}:${config.metrics.port}/metrics`]
        : []),
      ...(ui ? [`  Temporal UI  ${ui}`] : []),
      ...(all && !config.production ? [`  Admin key    ${secrets.adminApiKey}`] : []),
      ...(all ? [`  Next         ${demoCommand()}   (in another terminal)`] : []),
    ].join('\n'),
  );
}

/** The database alone is needed for it, so Temporal may be away. */
async function restored(config: Config, log: Logger): Promise<void> {
  const url = config.databaseUrl ?? (await embedded(config)).databaseUrl;
  await reachable('PostgreSQL', url, migrate({ url, debug: (message) => log.debug(message) }));
  await reachable('PostgreSQL', url, goOnAfterRestore(url));
  say('corridor: ids and places in the feed go on far beyond what may have been given out since the backup');
  await stopAll();
}

/** A worker that names no release is given nothing while one of them is the current one, and would say nothing of it. */
async function seeThatItIsGivenWork({ config, gateway, temporalAddress }: Shared): Promise<void> {
  if (config.workerRelease !== undefined) return;
  const current = await reachable('Temporal', `temporal://${temporalAddress}`, gateway.releases.current());
  if (current === null) return;
  throw new StartupError(
    `Orders go on with workers of release ${current}. Set WORKER_RELEASE, or end that by "npm run admin -- release off".`,
  );
}

async function runWorker(shared: Shared): Promise<void> {
  const sdk = shared.config.metrics && (await temporalSdkMetrics());
  forwardSdkLogs(shared.log, sdk?.exporter);
  if (sdk) shared.metrics.tell('temporal-sdk', sdk.text);
  const worker = await startOrderWorker(shared);
  started.push(worker.stop);
  // Nothing may keep a process alive that carries out no orders: whoever watches over it starts another.
  worker.ended.catch(async () => {
    say('corridor: the worker has failed; ending');
    await stopAll();
    process.exit(1);
  });
}

function given({ databaseUrl, temporalAddress, temporalUiUrl }: Config): Servers {
  if (!databaseUrl || !temporalAddress) {
    throw new StartupError(
      'DATABASE_URL and TEMPORAL_ADDRESS must be set to run one part; "all" can do without them.',
    );
  }
  return { databaseUrl, temporalAddress, temporalUiUrl };
}

function embedded(config: Config): Promise<Servers> {
  return provideServers(config, {
    progress: (message) => say(`corridor: ${message}`),
    onStarted: (stop) => started.push(stop),
    signal: stopping.signal,
  });
}

/** With the settings that the demo needs to find this Corridor. */
function demoCommand(): string {
  const settings = ['HOST', 'PORT', 'PUBLIC_URL', 'DATA_DIR', 'TEMPORAL_UI_PORT', 'TEMPORAL_UI_URL'];
  const given = settings.filter((name) => process.env[name]).map((name) => `${name}=${process.env[name]}`);
  return [...given, 'npm run demo'].join(' ');
}

/** The result of work that a server is needed for; that it cannot be reached is told in one line, without its password. */
async function reachable<T>(name: string, url: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const why = causeOf(error as { code?: string | number; message: string });
    throw new StartupError(`${name} at ${new URL(url).host} cannot be used (${why}).`, { cause: error });
  }
}

/** A start in flight is let come to its next end first: only what has started can be stopped. */
async function stopOnSignal(): Promise<void> {
  if (stopping.signal.aborted) return;
  say('corridor: stopping');
  stopping.abort();
  await starting;
  await stopAll();
  process.exit();
}

/** Each part gets to stop, once, even when another fails to. */
function stopAll(): Promise<void> {
  stopped ??= (async () => {
    for (const stop of started.splice(0).reverse()) {
      await stop().catch((error) => say(`corridor: while stopping: ${(error as Error).message}`));
    }
  })();
  return stopped;
}
