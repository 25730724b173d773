import { join } from 'node:path';
import { chainVerifiers } from '../adapters/chain-verifiers.ts';
import { meteredChains } from '../adapters/metrics/chains.ts';
import { createRecipientResolver } from '../adapters/recipient-resolver-http.ts';
import { createApp } from '../api/app.ts';
import { prepareUploads } from '../api/resources/receipts/uploads.ts';
import { type RunningServer, startServer } from '../http/http-server.ts';
import { loadCorridors } from '../market/corridors/load.ts';
import { createRecipientChecks } from '../market/corridors/recipient-checks.ts';
import { createRateLocks } from '../market/pricing/rate-locks.ts';
import { createOrderFeed } from '../notify/feed/order-feed.ts';
import { serveSockets } from '../notify/feed/socket-server.ts';
import { createRedeliver } from '../notify/webhooks/redeliver.ts';
import { createInstallationMetrics } from '../operations/installation.ts';
import { startProcessHeartbeat } from '../operations/upkeep/process-heartbeat.ts';
import { createCommandAttempts } from '../orders/attempt-command.ts';
import { createOrderCommands } from '../orders/commands.ts';
import { ORDER_CREATED } from '../orders/outcome-channel.ts';
import { createOutcomeWaiter } from '../orders/outcome-waiter.ts';
import { createPay } from '../orders/pay.ts';
import { workflowsUrl } from '../temporal/ui.ts';
import { receiptStore, type Shared } from './compose.ts';

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
  timeouts,
  log,
}: Shared): Promise<RunningServer> {
  const waiter = createOutcomeWaiter(db, channel, log);
  const attempt = createCommandAttempts({ db, gateway, waiter, log, timeouts });
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
    commands: createOrderCommands({ db, attempt, releaseGrace: config.releaseGrace, timeouts }),
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
