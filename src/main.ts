import { type Foundation, openShared, type Shared, startApi, startOrderWorker } from './compose.ts';
import { type Config, loadConfig } from './config.ts';
import { migrate } from './db/orm.ts';
import { requireFreePort, StartupError } from './embedded/free-port.ts';
import { provideServers } from './embedded/servers.ts';
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

try {
  const part = partFrom(process.argv.slice(2));
  const config = loadConfig(process.env);
  stopOnSignals();
  await run(part, config);
} catch (error) {
  say(error instanceof StartupError ? `corridor: ${error.message}` : `corridor: ${(error as Error).stack}`);
  await stopAll();
  process.exitCode = 1;
}

function partFrom(args: string[]): Part {
  const part = PARTS.find((name) => name === (args[0] ?? 'all'));
  if (!part || args.length > 1) throw new StartupError(USAGE);
  return part;
}

async function run(part: Part, config: Config): Promise<void> {
  const log = createLogger(config.logLevel);
  if (part === 'all' || part === 'api') await requireFreePort(config.port, config.host, 'PORT');
  const servers =
    part === 'all' ? await provideServers(config, (message) => say(`corridor: ${message}`)) : given(config);
  started.push(servers.stop);
  const secrets = await loadSecrets(config);
  const foundation: Foundation = { config, secrets, log, ...servers };
  const shared = await openShared(foundation);
  started.push(shared.close);

  if (part === 'all' || part === 'migrate') {
    for (const name of await migrate(shared.db)) say(`corridor: applied ${name}`);
    await shared.gateway.ensureNamespace(NAMESPACE_TIMEOUT_MS);
  }
  if (part === 'all' || part === 'worker') await runWorker(shared);
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

function given({ databaseUrl, temporalAddress, temporalUiUrl }: Config) {
  if (!databaseUrl || !temporalAddress) {
    throw new StartupError(
      'DATABASE_URL and TEMPORAL_ADDRESS must be set to run one part; "all" can do without them.',
    );
  }
  return { databaseUrl, temporalAddress, temporalUiUrl, stop: async () => undefined };
}

function stopOnSignals(): void {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (asked) return;
      asked = true;
      say('corridor: stopping');
      void stopAll().then(() => process.exit());
    });
  }
}

/** Each part gets to stop, even when another fails to. */
async function stopAll(): Promise<void> {
  for (const stop of started.splice(0).reverse()) {
    await stop().catch((error) => say(`corridor: while stopping: ${(error as Error).message}`));
  }
}
