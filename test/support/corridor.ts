import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Call, caller } from '../../demo/http.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../demo/webhook-receiver.ts';
import { openShared, type Shared, startApi, startOrderWorker } from '../../src/compose.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { lastLines } from '../../src/embedded/run-command.ts';
import { createLogger } from '../../src/log.ts';
import type { RunningServer } from '../../src/server.ts';
import { startTracing } from '../../src/tracing/start.ts';
import { traceFields } from '../../src/tracing/tracing.ts';
import { forwardSdkLogs, type RunningWorker } from '../../src/worker.ts';
import { checked, contractCheck } from './contract-check.ts';
import { freshDatabase } from './database.ts';
import { testEnvironment } from './environment.ts';

/** Once per test file: the SDK keeps one logger for all its workers. */
let sdkLogsForwarded = false;

/** A whole Corridor in this process, on a database and a Temporal namespace of its own. */
export interface TestCorridor {
  config: Config;
  shared: Shared;
  db: Shared['db'];
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
  /** What the webhook receiver answers. */
  answerWebhook?: Parameters<typeof startWebhookReceiver>[1];
  databaseUrl?: string;
  temporalAddress?: string;
  worker?: boolean;
  /** Where its log goes; as the tests' own, if it is left out. */
  logTo?: NodeJS.WriteStream;
}

export const ADMIN_KEY = 'test-admin-key-of-some-length';
export const WEBHOOK_SECRET = 'test-webhook-secret-of-some-length';

/** Starts a Corridor; where that fails, the servers' own last words are in the error. */
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
    PAY_RATE_LIMIT: '0',
    REGISTER_RATE_LIMIT: '0',
    UPLOAD_RATE_LIMIT: '0',
    AUTH_FAILURE_LIMIT: '0',
    RATES_RATE_LIMIT: '0',
    REDELIVER_RATE_LIMIT: '0',
    AUTO_CLAIM_RATE_LIMIT: '0',
    // An LP that let one test's order down serves the next.
    STRIKE_COOL_DOWN: '0s',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    TEMPORAL_NAMESPACE: `test-${randomBytes(6).toString('hex')}`,
    ...options.env,
  });
  const log = createLogger(config.logLevel, options.logTo, config.traces && traceFields);
  const stopTracing = await startTracing(config.traces, log);
  const shared = await openShared({
    config,
    secrets: { adminApiKey: ADMIN_KEY, webhookSecret: WEBHOOK_SECRET },
    databaseUrl,
    temporalAddress,
    temporalUiUrl: config.temporalUiUrl,
    log,
  });
  await shared.gateway.ensureNamespace(150_000);
  let api: RunningServer | undefined;
  const stopApi = async () => {
    await api?.stop();
    api = undefined;
  };
  const startApiAgain = async () => {
    api ??= await startApi(shared);
  };
  await startApiAgain();
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET, options.answerWebhook);
  const check = await contractCheck(config.publicUrl);
  const as = (key?: string) => checked(caller(config.publicUrl, key), check);
  let worker: RunningWorker | undefined;

  const stopWorker = async () => {
    await worker?.stop();
    worker = undefined;
  };
  const startWorker = async () => {
    if (!sdkLogsForwarded) forwardSdkLogs(log);
    sdkLogsForwarded = true;
    worker ??= await startOrderWorker(shared, { codePath: environment.bundlePath });
  };
  if (options.worker !== false) await startWorker();

  return {
    config,
    shared,
    db: shared.db,
    anyone: as(),
    admin: as(ADMIN_KEY),
    as,
    receiver,
    stopApi,
    startApi: startApiAgain,
    stopWorker,
    startWorker,
    stop: async () => {
      await stopApi();
      await stopWorker();
      await receiver.close();
      await shared.close();
      await stopTracing();
    },
  };
}
