import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { type Call, createCaller } from '../../dev/http-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../dev/webhook-receiver.ts';
import type { RunningServer } from '../../src/http/http-server.ts';
import { OUTCOME_TIMEOUTS } from '../../src/orders/attempt-command.ts';
import { freePort } from '../../src/process/free-port.ts';
import { createLogger } from '../../src/process/log.ts';
import { startTracing } from '../../src/process/tracing/start.ts';
import { traceFields } from '../../src/process/tracing/tracing.ts';
import { openShared, type Shared, type Timeouts } from '../../src/service/compose.ts';
import { lastLines } from '../../src/service/embedded/run-command.ts';
import { startApi } from '../../src/service/start-api.ts';
import { startOrderWorker } from '../../src/service/start-worker.ts';
import { forwardSdkLogs, type RunningWorker } from '../../src/service/worker/worker.ts';
import { type Config, loadConfig } from '../../src/settings/config.ts';
import { loadSecrets } from '../../src/settings/secrets.ts';
import { TEMPORAL_TIMEOUTS } from '../../src/temporal/start-options.ts';
import { checked, contractCheck } from './contract-check.ts';
import { asSuperuser, databaseSettings, freshDatabase } from './database.ts';
import { COMMAND_SECRET, testEnvironment } from './environment.ts';
import { inTime } from './in-time.ts';
import { NO_RATE_LIMITS } from './no-rate-limits.ts';
import { CORRIDOR_STEPS } from './parties.ts';

/** Once per process: the SDK keeps one logger for all its workers. */
let sdkLogsForwarded = false;

type CorridorSteps = typeof CORRIDOR_STEPS;

/** A whole Corridor in this process, on a database and a Temporal namespace of its own. */
export interface TestCorridor extends CorridorSteps {
  config: Config;
  /** It connects as the service, so each test proves that the service may do its work. */
  shared: Shared;
  /** The same database for the test itself, which may change everything. */
  db: Shared['db'];
  /** The database's URL for the superuser. */
  databaseUrl: string;
  /** Calls without a key. */
  anyone: Call;
  admin: Call;
  as: (key: string) => Call;
  /** Verifies the signatures of the webhooks that it receives. */
  receiver: WebhookReceiver;
  stopApi: () => Promise<void>;
  startApi: () => Promise<void>;
  stopWorker: () => Promise<void>;
  startWorker: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface TestOptions {
  /** Environment variables on top of the tests' defaults. */
  env?: Record<string, string>;
  /** The responses of the webhook receiver. */
  answerWebhook?: Parameters<typeof startWebhookReceiver>[1];
  /** The bodies of these responses. Default: empty. */
  answerBody?: Parameters<typeof startWebhookReceiver>[2];
  /** For the superuser. Default: a fresh database. */
  databaseUrl?: string;
  /** A Temporal that fails in the test. The service then has the limits of an installation. */
  temporalAddress?: string;
  worker?: boolean;
  /** Default: limits that a busy machine does not reach. */
  timeouts?: Timeouts;
  /** The bundle of its workflows. Default: the one that all tests share. */
  bundle?: WorkflowBundleOption;
  /** The destination of its log. Default: that of the tests' own log. */
  logTo?: NodeJS.WriteStream;
}

export const ADMIN_KEY = 'test-admin-key-of-some-length';
export const WEBHOOK_SECRET = 'test-webhook-secret-of-some-length';

/** The limits of an installation, for tests in which a worker or a server dies: while a caller waits, deadlines pass. */
export const INSTALLATION_TIMEOUTS: Timeouts = { ...OUTCOME_TIMEOUTS, ...TEMPORAL_TIMEOUTS };
/** Limits that no busy machine reaches: a step is slow in a test, but not refused. `unanswered` shortens one for a call. */
const GENEROUS: Readonly<Timeouts> = { outcomeMs: 60_000, workflowTaskMs: 20_000, callMs: 60_000 };

/** Shorter than the limit of a test, which ends it without a word. */
const STEP_LIMIT_MS = 120_000;

/** Waits for a step of a test's Corridor. If it hangs, the error says which. */
const namedStep = <T>(name: string, step: Promise<T>): Promise<T> =>
  inTime(step, STEP_LIMIT_MS, () => `${name}: not done in ${STEP_LIMIT_MS} ms`);

/** Starts a Corridor. If that fails, the error contains the servers' last output. */
export async function startCorridor(options: TestOptions = {}): Promise<TestCorridor> {
  try {
    return await start(options);
  } catch (error) {
    const logs = testEnvironment().serverLogs.map(
      (file) => `${file}:\n${lastLines(readFileSync(file, 'utf8'), 15)}`,
    );
    throw new Error(`Corridor did not start: ${(error as Error).message}\n${logs.join('\n')}`, {
      cause: error,
    });
  }
}

async function start(options: TestOptions): Promise<TestCorridor> {
  const environment = testEnvironment();
  const databaseUrl = options.databaseUrl ?? (await freshDatabase());
  const temporalAddress = options.temporalAddress ?? environment.temporalAddress;
  const config = loadConfig({
    PORT: String(await freePort()),
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    COMMAND_SECRET,
    ...NO_RATE_LIMITS,
    // Without a cool-down, an LP with a failed claim in one test can serve the next.
    STRIKE_COOL_DOWN: '0s',
    // A test can dispute an order as soon as it is claimed.
    DISPUTE_AFTER: '0s',
    // A claimed order of a revoked agent ends soon.
    REVOCATION_GRACE: '500ms',
    // Tests wait for many rounds.
    UPKEEP_INTERVAL: '500ms',
    UPKEEP_SETTLE_TIME: '1s',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: `test-${randomBytes(6).toString('hex')}`,
    ...databaseSettings(databaseUrl),
    ...options.env,
  });
  const log = createLogger(config.logLevel, options.logTo, config.traces && traceFields);
  const stopTracing = await startTracing(config.traces, log);
  const opening = openShared({
    config,
    secrets: await loadSecrets(config),
    databaseUrl: config.databaseUrl as string,
    readerUrl: config.databaseReaderUrl,
    temporalAddress,
    temporalUiUrl: config.temporalUiUrl,
    log,
    ...((options.timeouts || !options.temporalAddress) && { timeouts: options.timeouts ?? { ...GENEROUS } }),
  });
  const shared = await namedStep('opening the connections', opening);
  const db = asSuperuser(shared.db, databaseUrl);
  await shared.gateway.prepareNamespace(150_000);
  let api: RunningServer | undefined;
  const stopApi = async () => {
    await api?.stop();
    api = undefined;
  };
  const startApiAgain = async () => {
    api ??= await namedStep('starting the API', startApi(shared));
  };
  await startApiAgain();
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET, options.answerWebhook, options.answerBody);
  const check = await contractCheck(config.publicUrl, options.env ?? {});
  const as = (key?: string) => checked(createCaller(config.publicUrl, key), check);
  let worker: RunningWorker | undefined;

  const stopWorker = async () => {
    await worker?.stop();
    worker = undefined;
  };
  const startWorker = async () => {
    if (!sdkLogsForwarded) forwardSdkLogs(log);
    sdkLogsForwarded = true;
    const bundle = options.bundle ?? { codePath: environment.bundlePath };
    worker ??= await namedStep('starting the worker', startOrderWorker(shared, bundle));
  };
  if (options.worker !== false) await startWorker();

  return {
    config,
    shared,
    ...{ db, databaseUrl },
    anyone: as(),
    admin: as(ADMIN_KEY),
    as,
    ...CORRIDOR_STEPS,
    receiver,
    stopApi,
    startApi: startApiAgain,
    stopWorker,
    startWorker,
    stop: async () => {
      const server = api;
      const stopped = stopApi();
      // There are no more calls, so the server need not wait a second for one more request on each connection.
      server?.server.closeIdleConnections();
      await namedStep('stopping the API', stopped);
      await namedStep('stopping the worker', stopWorker());
      await namedStep('closing the webhook receiver', receiver.close());
      await namedStep("closing the test's connections", db.close());
      await namedStep("closing Corridor's connections", shared.close());
      await namedStep('ending the traces', stopTracing());
    },
  };
}
