import {
  databaseOptions,
  type Foundation,
  openShared,
  type Shared,
  startApi,
  startOrderWorker,
} from './compose.ts';
import { type Config, loadConfig } from './config.ts';
import { migrate } from './db/orm.ts';
import { requireFreePort, StartupError } from './embedded/free-port.ts';
import { provideServers, type Servers } from './embedded/servers.ts';
import { createLogger } from './log.ts';
import { loadSecrets } from './secrets.ts';
import { forwardSdkLogs } from './worker.ts';

const USAGE = `usage: node src/main.ts [all | api | worker | migrate]

  all      everything in one process; PostgreSQL and Temporal too, unless DATABASE_URL and TEMPORAL_ADDRESS are set
  api      the HTTP API
  worker   the order workflows and their activities
  migrate  brings the database and the Temporal namespace up to date, then ends`;

const PARTS = ['all', 'api', 'worker', 'migrate'] as const;
type Part = (typeof PARTS)[number];
const NAMESPACE_TIMEOUT_MS = 60_000;

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
    const part = partFrom(process.argv.slice(2));
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
  const log = createLogger(config.logLevel);
  if (part === 'all' || part === 'api') await requireFreePort(config.port, config.host, 'PORT');
  const servers = part === 'all' ? await embedded(config) : given(config);
  stopping.signal.throwIfAborted();
  const secrets = await loadSecrets(config);
  const foundation: Foundation = { config, secrets, log, ...servers };
  const shared = await openShared(foundation);
  started.push(shared.close);

  if (part === 'all' || part === 'migrate') {
    for (const name of await migrate(databaseOptions(foundation))) say(`corridor: applied ${name}`);
    await shared.gateway.ensureNamespace(NAMESPACE_TIMEOUT_MS);
  }
  stopping.signal.throwIfAborted();
  if (part === 'all' || part === 'worker') await runWorker(shared);
  stopping.signal.throwIfAborted();
  if (part === 'all' || part === 'api') started.push((await startApi(shared)).stop);
  if (part === 'migrate') return stopAll();

  say(`corridor: ${part === 'all' ? 'ready' : `${part} is running`}`);
  if (part !== 'worker') say(`  API          ${config.publicUrl}`);
  if (servers.temporalUiUrl)
    say(`  Temporal UI  ${servers.temporalUiUrl}/namespaces/${config.temporalNamespace}/workflows`);
  if (part === 'all' && !config.production) say(`  Admin key    ${secrets.adminApiKey}`);
  if (part === 'all') say('  Next         npm run demo   (in another terminal)');
}

async function runWorker(shared: Shared): Promise<void> {
  forwardSdkLogs(shared.log);
  await shared.gateway.ensureNamespace(NAMESPACE_TIMEOUT_MS);
  const worker = await startOrderWorker(shared);
  started.push(worker.stop);
  worker.ended.catch(() => {
    process.exitCode = 1;
    void stopAll();
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
