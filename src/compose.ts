import { join } from 'node:path';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createEvmVerifier } from './adapters/chain-evm.ts';
import { createSandboxVerifier } from './adapters/chain-sandbox.ts';
import { createTronVerifier } from './adapters/chain-tron.ts';
import { createXrplVerifier } from './adapters/chain-xrpl.ts';
import type { Chains, ChainVerifier, PriceSource, ReceiptStore } from './adapters/ports.ts';
import { createHttpPriceSource, NO_PRICES } from './adapters/prices-http.ts';
import { createDiskReceiptStore } from './adapters/receipts-disk.ts';
import { createS3ReceiptStore } from './adapters/receipts-s3.ts';
import { createWebhookSender } from './adapters/webhook-http.ts';
import { createApp } from './api/app.ts';
import { clearAbandonedUploads } from './api/uploads.ts';
import type { Config } from './config.ts';
import { type Database, type DatabaseOptions, openDatabase } from './db/orm.ts';
import { CHAINS, type Chain } from './domain/assets.ts';
import { meteredChains } from './metrics/chains.ts';
import { createInstallationMetrics } from './metrics/installation.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { meteredSender } from './metrics/webhooks.ts';
import { createOrderCommands } from './orders/commands.ts';
import { promoteFirstRelease } from './orders/first-release.ts';
import { createOrderGateway } from './orders/gateway.ts';
import { ORDER_CREATED, openOutcomeChannel } from './orders/outcome-channel.ts';
import { createOutcomeWaiter } from './orders/outcome-waiter.ts';
import { createPay } from './orders/pay.ts';
import { announcePresence } from './orders/presence.ts';
import { keepPulse } from './orders/pulse.ts';
import { createRateLocks } from './orders/rate-locks.ts';
import { createReconciler } from './orders/reconciler.ts';
import { createRedeliver } from './orders/redeliver.ts';
import type { Secrets } from './secrets.ts';
import { type RunningServer, startServer } from './server.ts';
import { createOrderFeed } from './stream/feed.ts';
import { serveSockets } from './stream/socket-server.ts';
import { workflowsUrl } from './temporal-ui.ts';
import { type RunningWorker, startWorker } from './worker.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** The servers that everything stands on, and the settings. */
export interface Foundation {
  config: Config;
  secrets: Secrets;
  databaseUrl: string;
  temporalAddress: string;
  /** The address of Temporal's UI, for links to workflows. */
  temporalUiUrl?: string | undefined;
  log: Logger;
}

/** What the parts of one process share: the database's pool, Temporal's client, the outcome channel, the metrics. */
export interface Shared extends Foundation {
  db: Database;
  gateway: ReturnType<typeof createOrderGateway>;
  channel: ReturnType<typeof openOutcomeChannel>;
  metrics: Metrics;
  close: () => Promise<void>;
}

export const databaseOptions = ({ config, databaseUrl, log }: Foundation): DatabaseOptions => ({
  url: databaseUrl,
  poolSize: config.databasePoolSize,
  debug: (message) => log.debug(message),
});

export async function openShared(foundation: Foundation): Promise<Shared> {
  const { config, databaseUrl, temporalAddress: address, log } = foundation;
  const db = await openDatabase(databaseOptions(foundation));
  const gateway = createOrderGateway({ address, namespace: config.temporalNamespace, log });
  const channel = openOutcomeChannel(databaseUrl, log);
  const metrics = createMetrics(db, log);
  const close = async () => {
    metrics.close();
    await channel.close();
    await gateway.close();
    await db.close();
  };
  return { ...foundation, db, gateway, channel, metrics, close };
}

/** The HTTP API of this process. */
export async function startApi({
  config,
  secrets,
  db,
  gateway,
  channel,
  metrics,
  temporalUiUrl,
  log,
}: Shared): Promise<RunningServer> {
  const waiter = createOutcomeWaiter(db, channel, log);
  const chains = meteredChains(chainVerifiers(config, db), metrics.chains);
  const prices = priceSource(config, log);
  const rateLocks = createRateLocks({ db, chains, prices, settings: config });
  const uploadDir = join(config.dataDir, 'receipts', 'incoming');
  await clearAbandonedUploads(uploadDir);
  const app = await createApp({
    db,
    gateway,
    log,
    commands: createOrderCommands({ db, gateway, waiter, log, releaseGrace: config.releaseGrace }),
    pay: createPay({
      db,
      gateway,
      rateLocks,
      log,
      settings: config,
      announce: () => channel.announce(ORDER_CREATED),
    }),
    rateLocks,
    redeliver: createRedeliver({ db, gateway, log, durations: config.durations }),
    chains,
    prices,
    receipts: receiptStore(config),
    metrics,
    settings: {
      adminApiKey: secrets.adminApiKey,
      secondAdminApiKey: config.secondAdminApiKey,
      publicUrl: config.publicUrl,
      workflowsUrl: temporalUiUrl && workflowsUrl(temporalUiUrl, config.temporalNamespace),
      corsOrigins: config.corsOrigins,
      trustProxyHops: config.trustProxyHops,
      payRateLimit: config.payRateLimit,
      registerRateLimit: config.registerRateLimit,
      authFailureLimit: config.authFailureLimit,
      uploadRateLimit: config.uploadRateLimit,
      ratesRateLimit: config.ratesRateLimit,
      redeliverRateLimit: config.redeliverRateLimit,
      autoClaimRateLimit: config.autoClaimRateLimit,
      strikeCoolDown: config.strikeCoolDown,
      lpAutoApprove: config.lpAutoApprove,
      fiatTimeout: config.durations.fiat,
      allowHttpCallbacks: config.webhookAllowPrivate,
      sandbox: config.sandbox,
      uploadDir,
    },
  });
  const server = await startServer(app.callback(), config.host, config.port);
  const presence = await announcePresence(db, 'api', log);
  const feed = createOrderFeed(db, channel, log);
  const sockets = serveSockets(server.server, {
    db,
    feed,
    log,
    metrics: metrics.sockets,
    maxConnections: config.wsMaxConnections,
    authFailureLimit: config.authFailureLimit,
    trustProxyHops: config.trustProxyHops,
  });
  const telling = { db, gateway, log, chains: [...chains.keys()] };
  const tellNoMore = metrics.tell('installation', createInstallationMetrics(telling));
  return {
    server: server.server,
    stop: async () => {
      tellNoMore();
      await presence.withdraw();
      // The listener closes before the sockets do, so that whoever is sent away does not come back here.
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

/** Each chain's verifier: the real one where it is set up, else the simulated one in a sandbox, else none. */
export function chainVerifiers({ chains, sandbox }: Config, db: Database): Chains {
  const real = (chain: Chain): ChainVerifier | undefined => {
    if (chain === 'trx') return chains.trx && createTronVerifier(chains.trx);
    if (chain === 'xrpl') return chains.xrpl && createXrplVerifier(chains.xrpl);
    const settings = chains[chain];
    return settings && createEvmVerifier(chain, settings);
  };
  return new Map(
    CHAINS.flatMap((chain) => {
      const verifier = real(chain) ?? (sandbox ? createSandboxVerifier(db, chain) : undefined);
      return verifier ? [[chain, verifier] as const] : [];
    }),
  );
}

const priceSource = ({ prices }: Config, log: Logger): PriceSource =>
  prices ? createHttpPriceSource({ ...prices, log }) : NO_PRICES;

/** The worker of this process: workflows, activities, and its turn at reconciling. */
export async function startOrderWorker(
  { config, secrets, db, gateway, channel, metrics, temporalAddress: address, log }: Shared,
  bundle?: WorkflowBundleOption,
): Promise<RunningWorker> {
  const sendWebhook = createWebhookSender({ allowPrivate: config.webhookAllowPrivate });
  const activities = {
    db,
    chains: meteredChains(chainVerifiers(config, db), metrics.chains),
    sendWebhook: meteredSender(sendWebhook, metrics.webhooks),
    webhookSecret: secrets.webhookSecret,
    secondWebhookSecret: config.secondWebhookSecret,
    announce: channel.announce,
    strikeCoolDown: config.strikeCoolDown,
    orderMetrics: metrics.orders,
    webhookMetrics: metrics.webhooks,
  };
  const worker = await startWorker({
    ...{ address, namespace: config.temporalNamespace, activities, log },
    maxCachedWorkflows: config.maxCachedWorkflows,
    release: config.workerRelease,
    bundle: bundle ?? (await workflowBundle()),
  });
  const presence = await announcePresence(db, 'worker', log);
  const pulse = keepPulse({ db, gateway, log, outageThreshold: config.outageThreshold });
  const reconciler = createReconciler({ db, gateway, log, settings: config });
  const first = promoteFirstRelease({ releases: gateway.releases, release: config.workerRelease, log });
  return {
    ended: worker.ended,
    stop: async () => {
      await presence.withdraw();
      await first.close();
      await reconciler.close();
      await pulse.close();
      await worker.stop().finally(() => sendWebhook.close());
    },
  };
}
