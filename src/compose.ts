import { join } from 'node:path';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { chainVerifiers } from './adapters/chain-verifiers.ts';
import type { PriceSource, ReceiptStore } from './adapters/ports.ts';
import { createHttpPriceSource, NO_PRICES } from './adapters/prices-http.ts';
import { createDiskReceiptStore } from './adapters/receipts-disk.ts';
import { createS3ReceiptStore } from './adapters/receipts-s3.ts';
import { createRecipientResolver } from './adapters/recipient-resolver-http.ts';
import { createWebhookSender } from './adapters/webhook-http.ts';
import { createApp } from './api/app.ts';
import { prepareUploads } from './api/resources/receipts/uploads.ts';
import { loadCorridors } from './corridors/load.ts';
import { createRecipientChecks } from './corridors/recipient-checks.ts';
import { type Database, type DatabaseOptions, openDatabase } from './db/orm.ts';
import { createOrderFeed } from './feed/order-feed.ts';
import { serveSockets } from './feed/socket-server.ts';
import { type RunningServer, startServer } from './http/http-server.ts';
import { startLpWebhooks } from './lp-webhooks/deliver.ts';
import { meteredChains } from './metrics/chains.ts';
import { createInstallationMetrics } from './metrics/installation.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { meteredSender } from './metrics/webhooks.ts';
import { createCommandAttempts } from './orders/attempt-command.ts';
import { createOrderCommands } from './orders/commands.ts';
import { ORDER_CREATED, openOutcomeChannel } from './orders/outcome-channel.ts';
import { createOutcomeWaiter } from './orders/outcome-waiter.ts';
import { createPay } from './orders/pay.ts';
import { createCommandVerifier } from './orders/verify-command.ts';
import { createRateLocks } from './pricing/rate-locks.ts';
import { storeReferencePrices } from './pricing/reference-prices.ts';
import type { Config } from './settings/config.ts';
import type { Secrets } from './settings/secrets.ts';
import { workflowBundle } from './temporal/bundle.ts';
import { promoteFirstRelease } from './temporal/first-release.ts';
import { createOrderGateway } from './temporal/gateway.ts';
import { workflowsUrl } from './temporal/ui.ts';
import { type RunningWorker, startWorker } from './temporal/worker.ts';
import { startChainContact } from './upkeep/chain-contact.ts';
import { startProcessHeartbeat } from './upkeep/process-heartbeat.ts';
import { createReconciler } from './upkeep/reconciler.ts';
import { startServiceHeartbeat } from './upkeep/service-heartbeat.ts';
import { createRedeliver } from './webhooks/redeliver.ts';

/** The settings and the servers that every part needs. */
export interface Foundation {
  config: Config;
  secrets: Secrets;
  databaseUrl: string;
  /** For migrations. Default: `databaseUrl`. */
  ownerUrl?: string | undefined;
  /** For metrics of the installation. Default: `databaseUrl`. */
  readerUrl?: string | undefined;
  temporalAddress: string;
  /** Address of Temporal's UI, for links to workflows. */
  temporalUiUrl?: string | undefined;
  log: Logger;
}

/**
 * Shared by the parts of one process: the database's pool, Temporal's client, the outcome channel, the metrics, the
 * prices.
 */
export interface Shared extends Foundation {
  db: Database;
  /** For metrics of the installation, which write nothing. */
  reader: Database;
  gateway: ReturnType<typeof createOrderGateway>;
  channel: ReturnType<typeof openOutcomeChannel>;
  metrics: Metrics;
  prices: PriceSource;
  close: () => Promise<void>;
}

const databaseOptions = ({ config, databaseUrl, log }: Foundation): DatabaseOptions => ({
  url: databaseUrl,
  poolSize: config.databasePoolSize,
  debug: (message) => log.debug(message),
});

/** For migrations. */
export const ownerOptions = (foundation: Foundation): DatabaseOptions => ({
  ...databaseOptions(foundation),
  url: foundation.ownerUrl ?? foundation.databaseUrl,
});

/** Metrics of the installation are read one after the other, and apart from requests. */
const READER_POOL_SIZE = 2;

/** The database for metrics of the installation: that of the reader, or `db` without one. */
async function openReader(foundation: Foundation, db: Database): Promise<Database> {
  const { readerUrl: url } = foundation;
  if (url === undefined) return { ...db, close: async () => undefined };
  return openDatabase({ ...databaseOptions(foundation), url, poolSize: READER_POOL_SIZE });
}

export async function openShared(foundation: Foundation): Promise<Shared> {
  const { config, databaseUrl, temporalAddress: address, log } = foundation;
  const db = await openDatabase(databaseOptions(foundation));
  const reader = await openReader(foundation, db);
  const { commandSecret } = foundation.secrets;
  const gateway = createOrderGateway({
    ...{ address, ...config.temporalAccess, namespace: config.temporalNamespace },
    ...{ log, commandSecret },
  });
  const channel = openOutcomeChannel(databaseUrl, log);
  const metrics = createMetrics(db, log);
  const close = async () => {
    metrics.close();
    await channel.close();
    await gateway.close();
    await reader.close();
    await db.close();
  };
  const prices = priceSource(config, db, log);
  return { ...foundation, db, reader, gateway, channel, metrics, prices, close };
}

/** Starts the HTTP API of this process. */
export async function startApi({
  config,
  secrets,
  db,
  reader,
  gateway,
  channel,
  metrics,
  prices,
  temporalUiUrl,
  log,
}: Shared): Promise<RunningServer> {
  const waiter = createOutcomeWaiter(db, channel, log);
  const attempt = createCommandAttempts({ db, gateway, waiter, log });
  const chains = meteredChains(await chainVerifiers(config, db), metrics.chains);
  const delivery = { corridors: await loadCorridors(config.corridorsFile), sandbox: config.sandbox };
  const { recipientResolver } = config;
  const resolve = recipientResolver ? createRecipientResolver(recipientResolver) : null;
  const recipientChecks = createRecipientChecks({ db, resolve, log });
  const rateLocks = createRateLocks({ db, chains, prices, settings: config });
  const uploadDir = join(config.dataDir, 'receipts', 'incoming');
  await prepareUploads(uploadDir);
  const app = await createApp({
    db,
    gateway,
    log,
    commands: createOrderCommands({ db, attempt, releaseGrace: config.releaseGrace }),
    pay: createPay({
      db,
      gateway,
      rateLocks,
      delivery,
      recipientChecks,
      log,
      settings: config,
      announce: () => channel.announce({ requestId: ORDER_CREATED }),
    }),
    rateLocks,
    delivery,
    recipientChecks,
    redeliver: createRedeliver({ db, gateway, log }),
    chains,
    prices,
    receipts: receiptStore(config),
    metrics,
    settings: config,
    secrets,
    workflowsUrl: temporalUiUrl && workflowsUrl(temporalUiUrl, config.temporalNamespace),
    uploadDir,
  });
  const server = await startServer(app.callback(), config.host, config.port);
  const heartbeat = await startProcessHeartbeat(db, 'api', log);
  const feed = createOrderFeed(db, channel, log);
  const sockets = serveSockets(server.server, {
    db,
    feed,
    log,
    metrics: metrics.sockets,
    maxConnections: config.wsMaxConnections,
    authFailureLimit: config.limits.authFailure,
    settings: config,
  });
  const installation = createInstallationMetrics({
    ...{ db: reader, gateway, log, chains: [...chains.keys()], disputeSla: config.disputeSla },
  });
  const removeInstallationMetrics = metrics.addSource('installation', installation);
  return {
    server: server.server,
    stop: async () => {
      removeInstallationMetrics();
      await heartbeat.withdraw();
      // The listener closes before the sockets do, so that a client whose socket closes reconnects to another process.
      const served = server.stop();
      await sockets.close();
      await served;
      await feed.close();
      waiter.close();
    },
  };
}

const receiptStore = ({ receiptsS3, dataDir }: Config): ReceiptStore =>
  receiptsS3 ? createS3ReceiptStore(receiptsS3) : createDiskReceiptStore(join(dataDir, 'receipts'));

const priceSource = ({ prices }: Config, db: Database, log: Logger): PriceSource =>
  prices
    ? createHttpPriceSource({ ...prices, log, store: (fresh) => storeReferencePrices(db, fresh) })
    : NO_PRICES;

/** Starts the worker of this process: workflows, activities, and its part of the upkeep. */
export async function startOrderWorker(
  { config, secrets, db, gateway, channel, metrics, prices, temporalAddress: address, log }: Shared,
  bundle?: WorkflowBundleOption,
): Promise<RunningWorker> {
  const verifiers = await chainVerifiers(config, db);
  const chains = meteredChains(verifiers, metrics.chains);
  const sendWebhook = createWebhookSender({ allowPrivate: config.webhookAllowPrivate });
  // Bulk runs wait for the outcomes of their commands.
  const waiter = createOutcomeWaiter(db, channel, log);
  const activities = {
    db,
    log,
    chains,
    sendWebhook: meteredSender(sendWebhook, metrics.webhooks),
    webhookSecret: secrets.webhookSecret,
    secondWebhookSecret: secrets.secondWebhookSecret,
    sealing: secrets,
    verifyCommand: createCommandVerifier({
      secrets: [secrets.commandSecret, secrets.secondCommandSecret].flatMap((secret) => secret ?? []),
      log,
      count: metrics.orders.unsigned,
    }),
    announce: channel.announce,
    attemptCommand: createCommandAttempts({ db, gateway, waiter, log }),
    gateway,
    stepSettings: config,
    chainClockSkew: config.chainClockSkew,
    orderMetrics: metrics.orders,
    webhookMetrics: metrics.webhooks,
  };
  const worker = await startWorker({
    ...{ address, ...config.temporalAccess, namespace: config.temporalNamespace },
    ...{ activities, log },
    maxCachedWorkflows: config.maxCachedWorkflows,
    release: config.workerRelease,
    bundle: bundle ?? (await workflowBundle(config.workflowStacks)),
  });
  const heartbeat = await startProcessHeartbeat(db, 'worker', log);
  const serviceHeartbeat = startServiceHeartbeat({
    db,
    gateway,
    log,
    outageThreshold: config.outageThreshold,
  });
  // Not metered: its questions are not checks of payments.
  const chainContact = startChainContact({
    ...{ db, chains: verifiers, log, outageThreshold: config.outageThreshold },
  });
  const reconciler = createReconciler({
    ...{ db, gateway, log, chains, prices, receipts: receiptStore(config), settings: config },
    ...{ metrics: metrics.upkeep, sealing: secrets },
  });
  const lpWebhooks = startLpWebhooks({
    ...{ db, channel, log, metrics: metrics.webhooks, sendWebhook: activities.sendWebhook },
    webhookSecret: secrets.webhookSecret,
    secondWebhookSecret: secrets.secondWebhookSecret,
  });
  const promotion = promoteFirstRelease({ releases: gateway.releases, release: config.workerRelease, log });
  return {
    ended: worker.ended,
    stop: async () => {
      await heartbeat.withdraw();
      await promotion.close();
      await reconciler.close();
      await serviceHeartbeat.close();
      await chainContact.close();
      await lpWebhooks.close();
      await worker.stop().finally(() => sendWebhook.close());
      waiter.close();
    },
  };
}
