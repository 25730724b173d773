import type { Logger } from 'pino';
import { migrate } from '../db/migrate.ts';
import { prepareAfterRestore } from '../db/restore.ts';
import { armCrashPoints } from '../process/crash-point.ts';
import { createLogger } from '../process/log.ts';
import { temporalSdkMetrics } from '../process/metrics/temporal-sdk.ts';
import { StartupError } from '../process/startup-error.ts';
import { startTracing } from '../process/tracing/start.ts';
import { traceFields } from '../process/tracing/tracing.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import { usingDataDir } from '../settings/data-dir.ts';
import { loadSecrets } from '../settings/secrets.ts';
import { openShared, type Shared } from './compose.ts';
import { startMetricsServer } from './metrics/server.ts';
import { type Part, partFrom, runsWorker, servesApi, USAGE } from './start/part.ts';
import {
  checkNamespace,
  existingDatabase,
  listening,
  prepareDatabase,
  prepareNamespace,
  prepareReader,
  prepareWork,
  requirePorts,
  serversFor,
} from './start/prepare.ts';
import { reachable } from './start/reachable.ts';
import { say } from './start/say.ts';
import { createShutdown } from './start/shutdown.ts';
import { summary } from './start/summary.ts';

const shutdown = createShutdown();
const starting = main();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stopOnSignal());
await starting;

async function main(): Promise<void> {
  try {
    const args = process.argv.slice(2);
    if (args[0] === '--help' || args[0] === '-h') return void process.stdout.write(`${USAGE}\n`);
    const part = partFrom(args);
    const config = loadConfig(process.env);
    await usingDataDir(config.dataDir, run(part, config));
  } catch (error) {
    if (shutdown.signal.aborted) return;
    // The native part of Temporal's SDK makes errors without a stack.
    say(error instanceof StartupError ? error.message : String((error as Error).stack ?? error));
    process.exitCode = 1;
    await shutdown.stopAll();
    // A partly started component must not keep the process alive.
    process.exit();
  }
}

async function run(part: Part, config: Config): Promise<void> {
  const log = createLogger(config.logLevel, process.stdout, config.traces && traceFields);
  shutdown.add(await startTracing(config.traces, log));
  armCrashPoints(config.crashPoints);
  if (part === 'restored') return prepareRestored(config, log);

  await requirePorts(part, config);
  // Before the servers start, so that a folder or a file that cannot be used ends the start immediately.
  const secrets = await loadSecrets(config);
  const servers = await serversFor(part, config, shutdown);
  shutdown.signal.throwIfAborted();
  const shared = await openShared({ config, secrets, log, ...servers });
  shutdown.add(shared.close);
  await prepareDatabase(part, shared);
  await prepareReader(part, shared);
  await (part === 'api' ? checkNamespace : prepareNamespace)(shared, shutdown.signal);
  shutdown.signal.throwIfAborted();
  if (part === 'migrate') return shutdown.stopAll();

  await prepareWork(part, shared, log);
  if (runsWorker(part)) await runWorker(shared);
  shutdown.signal.throwIfAborted();
  if (servesApi(part)) {
    const { startApi } = await import('./start-api.ts');
    const api = await listening(startApi(shared), config.port, config.host, 'PORT');
    shutdown.add(api.stop);
  }
  if (config.metrics) {
    const { port, host } = config.metrics;
    const server = startMetricsServer(shared.metrics, config.metrics);
    shutdown.add((await listening(server, port, host, 'METRICS_PORT')).stop);
  }
  say(summary({ part, config, secrets, temporalUiUrl: servers.temporalUiUrl }));
}

/** Needs only the database, so Temporal may be unavailable. */
async function prepareRestored(config: Config, log: Logger): Promise<void> {
  const { databaseUrl, ownerUrl: url = databaseUrl } = await existingDatabase(config, shutdown);
  await reachable('PostgreSQL', url, migrate({ url, debug: (message) => log.debug(message) }));
  await reachable('PostgreSQL', url, prepareAfterRestore(url));
  say('ids and positions in the feed continue far beyond those that may have been used since the backup');
  say(
    'payments and claims are paused: end the pause (admin resume) when you have handled what happened after the backup (docs/operations.md)',
  );
  await shutdown.stopAll();
}

async function runWorker(shared: Shared): Promise<void> {
  const { startOrderWorker } = await import('./start-worker.ts');
  const { forwardSdkLogs } = await import('./worker/worker.ts');
  const sdk = shared.config.metrics && (await temporalSdkMetrics());
  forwardSdkLogs(shared.log, sdk?.exporter);
  if (sdk) shared.metrics.addSource('temporal-sdk', sdk.text);
  const worker = await startOrderWorker(shared);
  shutdown.add(worker.stop);
  // A process whose worker has failed must end, so that its supervisor starts another.
  worker.ended.catch(async () => {
    say('the worker has failed; ending');
    await shutdown.stopAll();
    process.exit(1);
  });
}

/** Waits until the start reaches its next abort check, because only started components can be stopped. */
async function stopOnSignal(): Promise<void> {
  if (shutdown.signal.aborted) return;
  say('stopping');
  shutdown.abort();
  await starting;
  await shutdown.stopAll();
  process.exit();
}
