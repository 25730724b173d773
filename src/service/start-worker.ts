import type { WorkflowBundleOption } from '@temporalio/worker';
import { chainVerifiers } from '../adapters/chain-verifiers.ts';
import { meteredChains } from '../adapters/metrics/chains.ts';
import { meteredSender } from '../adapters/metrics/webhooks.ts';
import { createWebhookSender } from '../adapters/webhook-http.ts';
import { startLpWebhooks } from '../notify/lp-webhooks/deliver.ts';
import { startChainContact } from '../operations/upkeep/chain-contact.ts';
import { startProcessHeartbeat } from '../operations/upkeep/process-heartbeat.ts';
import { createReconciler } from '../operations/upkeep/reconciler.ts';
import { startServiceHeartbeat } from '../operations/upkeep/service-heartbeat.ts';
import { createCommandAttempts, OUTCOME_TIMEOUTS } from '../orders/attempt-command.ts';
import { createOutcomeWaiter } from '../orders/outcome-waiter.ts';
import { createCommandVerifier } from '../orders/verify-command.ts';
import { stopTogether } from '../process/stop-together.ts';
import { receiptStore, type Shared } from './compose.ts';
import { workflowBundle } from './worker/bundle.ts';
import { promoteFirstRelease } from './worker/first-release.ts';
import { type RunningWorker, startWorker } from './worker/worker.ts';

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
    // With the limit of an installation in tests as well: an attempt that outlasts the grace of a stop keeps the worker in use.
    attemptCommand: createCommandAttempts({ db, gateway, waiter, log, timeouts: OUTCOME_TIMEOUTS }),
    gateway,
    stepSettings: config,
    chainClockSkew: config.chainClockSkew,
    orderMetrics: metrics.orders,
    webhookMetrics: metrics.webhooks,
  };
  const worker = await startWorker({
    ...{ address, ...config.temporalAccess, namespace: config.temporalNamespace },
    ...{ activities, log },
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
    // The worker takes no new task from now on, however long another part needs, or if it fails to stop.
    stop: async () => {
      await stopTogether([
        ...[worker.stop, heartbeat.withdraw, promotion.close, reconciler.close, serviceHeartbeat.close],
        ...[chainContact.close, lpWebhooks.close],
      ]).finally(() => {
        sendWebhook.close();
        waiter.close();
      });
    },
  };
}
